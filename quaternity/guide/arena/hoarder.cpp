// A player of Kwartet that collects its largest set.
//   g++ -std=c++17 -O2 -o hoarder hoarder.cpp
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

struct Json {
    std::string text;         // of a text or number
    std::vector<Json> items;  // of an object: name, value, ...
    const Json& operator[](const std::string& name) const {
        for (size_t i = 0; i + 1 < items.size(); i += 2)
            if (items[i].text == name) return items[i + 1];
        static const Json nothing;
        return nothing;
    }
};

Json parsed(const char*& at) {
    Json value;
    while (*at && std::strchr(" ,:", *at)) ++at;
    if (*at == '"') {
        for (++at; *at && *at != '"'; ++at) {
            if (*at == '\\' && at[1]) ++at;
            value.text += *at;
        }
        if (*at) ++at;
    } else if (*at == '[' || *at == '{') {
        for (++at; *at && *at != ']' && *at != '}';)
            value.items.push_back(parsed(at));
        if (*at) ++at;
    } else {
        while (*at && !std::strchr(" ,:]}", *at)) value.text += *at++;
    }
    return value;
}

// How good a move such as "2 asks 0 for 1/3" is.
int merit(const std::string& move, const Json& view) {
    const std::string card = move.substr(move.rfind(' ') + 1);
    const std::string asked = move.substr(7, 1);
    const std::string set = card.substr(0, card.find('/') + 1);
    int held = 0;
    for (const Json& own : view["hand"].items) {
        if (own.text == card) return -1;  // a bluff
        held += own.text.compare(0, set.size(), set) == 0;
    }
    const Json& cards = view["owners"].items[std::stoi(card)];
    auto& owners = cards.items[std::stoi(card.substr(set.size()))].items;
    for (const Json& seat : owners)
        if (seat.text == asked) return 100 * held + 10 - int(owners.size());
    return 0;
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const char* at = line.c_str();
        const Json asked = parsed(at);
        const std::string what = asked["do"].text;
        if (what == "quit") break;
        if (what == "new")
            std::cout << R"({"ready": "Hoarder in C++"})" << std::endl;
        if (what != "choose") continue;
        std::string best;
        int most = -2;
        for (const Json& move : asked["moves"].items)
            if (int now = merit(move.text, asked["view"]); now > most)
                best = move.text, most = now;
        std::cout << R"({"move": ")" << best << "\"}" << std::endl;
    }
}
