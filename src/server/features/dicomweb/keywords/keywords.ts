import { firstOfRepeatingGroup, isPrivate } from "../../../../shared/dicom/reading/dictionary.ts";
import { tagHex } from "../../../../shared/dicom/tags.ts";
import { KEYWORDS_BY_GROUP } from "./keywords.gen.ts";

let tagByKeyword: ReadonlyMap<string, string> | undefined;
let keywordByTag: ReadonlyMap<string, string> | undefined;

/** The tag of a keyword of PS3.6 §6, as eight upper-case hex digits; undefined for any other word. */
export function tagOf(keyword: string): string | undefined {
  tagByKeyword ??= new Map(readKeywords());
  return tagByKeyword.get(keyword);
}

/** The keyword of a tag in eight upper-case hex digits; undefined if PS3.6 does not list it. */
export function keywordOf(tag: string): string | undefined {
  keywordByTag ??= new Map(Array.from(readKeywords(), ([keyword, listed]) => [listed, keyword]));
  const number = Number.parseInt(tag, 16);
  return isPrivate(number) ? undefined : keywordByTag.get(tagHex(firstOfRepeatingGroup(number)));
}

function* readKeywords(): Generator<[keyword: string, tag: string]> {
  for (const line of KEYWORDS_BY_GROUP.trim().split("\n")) {
    const [group = "", ...elements] = line.split(" ");
    for (const element of elements) yield [element.slice(4), group + element.slice(0, 4)];
  }
}
