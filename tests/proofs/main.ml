(* Read one problem and one claim per line, as whole numbers. Print 1 if the proved programs agree
   with the claim, otherwise 0. A list is its length, followed by its entries.
   The line: hands; sets, each as owners, low, high; then the claim, a number for its kind:
   0 a deal fits (a list of rows). No deal fits, by 1 too few places, 2 crossed bounds (player, set),
   3 a crowded hand (player), 4 a shortage (coalition, witnesses), 5 no evidence. 6 after a move
   (asker, asked, set, card, 1 for yes) the problem is another, hands and sets as before. *)

open Checker

let number_of word =
  let digit c = match c with
    | '0' -> Z0 | '1' -> Zpos XH | '2' -> Zpos (XO XH) | '3' -> Zpos (XI XH)
    | '4' -> Zpos (XO (XO XH)) | '5' -> Zpos (XI (XO XH)) | '6' -> Zpos (XO (XI XH))
    | '7' -> Zpos (XI (XI XH)) | '8' -> Zpos (XO (XO (XO XH))) | '9' -> Zpos (XI (XO (XO XH)))
    | _ -> failwith "no digit" in
  let ten = Zpos (XO (XI (XO XH))) in
  let negative = word.[0] = '-' in
  let digits = if negative then String.sub word 1 (String.length word - 1) else word in
  let value = ref Z0 in
  String.iter (fun c -> value := Z.add (Z.mul !value ten) (digit c)) digits;
  if negative then Z.opp !value else !value

let judge line =
  let words = ref (String.split_on_char ' ' line) in
  let word () = match !words with
    | first :: rest -> words := rest; first
    | [] -> failwith "too few numbers" in
  let number () = number_of (word ()) in
  let rec times count read = if count = 0 then [] else
    let first = read () in first :: times (count - 1) read in
  let list read = let length = int_of_string (word ()) in times length read in
  let problem () =
    let hands = list number in
    let sets = list (fun () ->
      let owners = list number in
      let low = list number in
      let high = list number in
      { owners; low; high }) in
    { hands; sets } in
  let rec place count = if count = 0 then O else S (place (count - 1)) in
  let before = problem () in
  let accepts claim = verify before claim in
  let answer = match word () with
    | "0" -> accepts (Feasible (list (fun () -> list number)))
    | "1" -> accepts (Infeasible (Some TooFewPlaces))
    | "2" -> let player = number () in
             let index = number () in accepts (Infeasible (Some (CrossedBounds (player, index))))
    | "3" -> accepts (Infeasible (Some (CrowdedHand (number ()))))
    | "4" -> let coalition = number () in
             let witnesses = list number in
             accepts (Infeasible (Some (Shortage (coalition, witnesses))))
    | "5" -> accepts (Infeasible None)
    | "6" -> let asker = number () in
             let asked = number () in
             let of_set = place (int_of_string (word ())) in
             let of_card = place (int_of_string (word ())) in
             let yes = word () = "1" in
             after { asker; asked; of_set; of_card; yes } before = problem ()
    | _ -> failwith "no such claim" in
  if !words <> [] then failwith "too many numbers";
  answer

let () =
  try
    while true do
      print_endline (if judge (read_line ()) then "1" else "0")
    done
  with End_of_file -> ()
