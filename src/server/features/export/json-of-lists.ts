import { WorkTurn } from "../../runtime/work-turn.ts";

const PIECE_CHARACTERS = 64 * 1024;

/** Long lists by name as `JSON.stringify` has them with two spaces, written in turns with other work. */
export async function* jsonOfLists(lists: Record<string, readonly object[]>): AsyncGenerator<Uint8Array> {
  const turn = new WorkTurn();
  const encoder = new TextEncoder();
  let text = "";
  for (const part of partsOf(lists)) {
    text += part;
    if (text.length >= PIECE_CHARACTERS) {
      yield encoder.encode(text);
      text = "";
    }
    if (turn.isOver()) await turn.next();
  }
  yield encoder.encode(text);
}

function* partsOf(lists: Record<string, readonly object[]>): Generator<string> {
  let before = "{";
  for (const [name, rows] of Object.entries(lists)) {
    yield `${before}\n  ${JSON.stringify(name)}: [`;
    for (const [place, row] of rows.entries())
      yield `${place === 0 ? "" : ","}\n    ${JSON.stringify(row, null, 2).replaceAll("\n", "\n    ")}`;
    yield rows.length === 0 ? "]" : "\n  ]";
    before = ",";
  }
  yield "\n}\n";
}
