import { S3Nonsense } from "./s3-failure.ts";

/** An element of an S3 answer: no attributes, no namespaces, and text only if it has no children. */
export interface XmlElement {
  name: string;
  text: string;
  children: XmlElement[];
}

const MAX_DEPTH = 16;
const NAMED_ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** In this order: comment or declaration, CDATA, a tag's slash, name and rest, text. S3 sends no other XML. */
const TOKEN =
  /<(?:!--[\s\S]*?--|\?[\s\S]*?\?)>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([\w.:-]+)([^<>]*)>|([^<]+)/y;

/**
 * Reads the XML of an S3 answer.
 * @throws {S3Nonsense} if it isn't well formed, has a document type or is too deep
 */
export function parseXml(source: string): XmlElement {
  const document: XmlElement = { name: "", text: "", children: [] };
  const path = [document];
  const text = source.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text);
    const parent = path.at(-1);
    if (!token || !parent) throw new S3Nonsense("S3 answered with broken XML");
    const [, cdata, slash, qualifiedName, rest, characters] = token;
    if (cdata !== undefined) parent.text += cdata;
    else if (characters !== undefined) parent.text += decodeEntities(characters);
    else if (qualifiedName !== undefined) {
      takeTag(path, qualifiedName.replace(/^.*:/, ""), slash === "/", rest?.endsWith("/") ?? false);
    }
  }
  const [root] = document.children;
  if (path.length !== 1 || !root || document.children.length !== 1 || document.text.trim()) {
    throw new S3Nonsense("S3 answered with broken XML");
  }
  return root;
}

function takeTag(path: XmlElement[], name: string, isEnd: boolean, isEmpty: boolean): void {
  if (isEnd) {
    if (path.length < 2 || path.pop()?.name !== name) throw new S3Nonsense("S3 answered with broken XML");
    return;
  }
  if (path.length > MAX_DEPTH) throw new S3Nonsense("S3 answered with XML that is too deep");
  const element = { name, text: "", children: [] };
  path.at(-1)?.children.push(element);
  if (!isEmpty) path.push(element);
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi, (entity, hex, decimal, name) => {
    if (name) return NAMED_ENTITIES[name] ?? entity;
    const codePoint = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : entity;
  });
}

/** The text of the first child of that name. */
export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

/** As {@link childText}, for elements that S3 always sends. */
export function requiredText(element: XmlElement, name: string): string {
  const text = childText(element, name);
  if (!text) throw new S3Nonsense(`S3 answered ${element.name} without ${name}`);
  return text;
}
