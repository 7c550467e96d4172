import type { DicomJson, DicomJsonElement } from "../../../src/shared/dicom/dicom-json.ts";

interface XmlNode {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: XmlNode[];
}

const PIECE = /<(\/?)(\w+)((?:\s+[\w:]+="[^"]*")*)\s*(\/?)>|([^<]+)/g;

/** Reads a Native DICOM Model (PS3.19 §A.1) back into DICOM JSON, with numbers as texts and private elements in their first block. */
export function readNativeModel(xml: string): DicomJson {
  const root = parse(xml.replace(/^<\?xml[^>]*\?>\s*/, ""));
  if (root.name !== "NativeDicomModel") throw new Error(`a model begins with ${root.name}`);
  return dataSetOf(root);
}

/** The bodies of a `multipart/related` answer. */
export async function readParts(response: Response): Promise<string[]> {
  const boundary = /boundary=([\w-]+)/.exec(response.headers.get("content-type") ?? "")?.[1];
  const text = await response.text();
  if (!text.endsWith(`\r\n--${boundary}--\r\n`)) throw new Error("the parts have no end");
  const parts = text.split(`--${boundary}`).slice(1, -1);
  return parts.map((part) => part.slice(part.indexOf("\r\n\r\n") + 4).replace(/\r\n$/, ""));
}

/** DICOM JSON as {@link readNativeModel} gives it. */
export function asReadFromXml(dataSet: DicomJson): DicomJson {
  const creators = new Map<string, string>();
  for (const [tag, { Value }] of Object.entries(dataSet)) {
    const isCreator = isPrivate(tag) && tag.startsWith("00", 4) && tag.slice(6) >= "10";
    if (isCreator && typeof Value?.[0] === "string") creators.set(tag.slice(0, 4) + tag.slice(6), Value[0]);
  }
  const read: DicomJson = {};
  for (const [tag, element] of Object.entries(dataSet)) {
    const creator = isPrivate(tag) ? creators.get(tag.slice(0, 6)) : undefined;
    const { Value, ...others } = element;
    const named = creator === undefined ? tag : `${tag.slice(0, 4)}00${tag.slice(6)} ${xmlSafe(creator)}`;
    read[named] = { ...others, ...(Value && { Value: Value.map((value) => asReadValue(value)) }) };
  }
  return read;
}

function asReadValue(value: unknown): unknown {
  if (value === null) return null;
  if (typeof value !== "object") return value === "" ? null : xmlSafe(String(value));
  const members = Object.entries(value);
  if (members.some(([key]) => /^[0-9A-F]{8}$/.test(key)) || members.length === 0)
    return asReadFromXml(value as DicomJson);
  // Carets at the end of a name say nothing.
  return Object.fromEntries(members.map(([key, text]) => [key, xmlSafe(String(text)).replace(/\^+$/, "")]));
}

/** Control characters are what XML can't have. */
function xmlSafe(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

function isPrivate(tag: string): boolean {
  return Number.parseInt(tag.slice(0, 4), 16) % 2 === 1;
}

function dataSetOf({ children }: XmlNode): DicomJson {
  const read: DicomJson = {};
  for (const child of children) {
    const { tag = "", vr = "", privateCreator } = child.attributes;
    const key = privateCreator === undefined ? tag : `${tag} ${privateCreator}`;
    if (child.name !== "DicomAttribute" || read[key]) throw new Error(`not one attribute: ${key}`);
    read[key] = elementOf(vr, child);
  }
  return read;
}

function elementOf(vr: string, { children }: XmlNode): DicomJsonElement {
  const [first] = children;
  if (!first) return { vr };
  if (first.name === "BulkData") return { vr, BulkDataURI: first.attributes.uri ?? "" };
  if (first.name === "InlineBinary") return { vr, InlineBinary: first.text };
  children.forEach((child, index) => {
    if (child.attributes.number !== String(index + 1)) throw new Error(`value ${index + 1} has no number`);
  });
  return { vr, Value: children.map(readValue) };
}

function readValue(node: XmlNode): unknown {
  if (node.name === "Item") return dataSetOf(node);
  if (node.name === "Value") return node.text === "" ? null : node.text;
  if (node.children.length === 0) return null;
  return Object.fromEntries(node.children.map((group) => [group.name, nameOf(group)]));
}

function nameOf({ children }: XmlNode): string {
  const order = ["FamilyName", "GivenName", "MiddleName", "NamePrefix", "NameSuffix"];
  const texts = order.map((name) => children.find((child) => child.name === name)?.text ?? "");
  return texts.join("^").replace(/\^+$/, "");
}

function parse(xml: string): XmlNode {
  const top: XmlNode = { name: "", attributes: {}, text: "", children: [] };
  const open = [top];
  for (const [, end, name, attributes = "", isEmpty, text] of xml.trimEnd().matchAll(PIECE)) {
    const parent = open.at(-1);
    if (!parent) throw new Error("too many end tags");
    if (text !== undefined) parent.text += unescaped(text);
    else if (end) {
      if (parent.name !== name) throw new Error(`${parent.name} ends with ${name}`);
      open.pop();
    } else {
      const node: XmlNode = {
        name: name ?? "",
        attributes: attributesOf(attributes),
        text: "",
        children: [],
      };
      parent.children.push(node);
      if (!isEmpty) open.push(node);
    }
  }
  const [root] = top.children;
  if (!root || open.length !== 1 || top.children.length !== 1) throw new Error("not one XML document");
  return root;
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(text.matchAll(/([\w:]+)="([^"]*)"/g), ([, name, value]) => [name, unescaped(value ?? "")]),
  );
}

function unescaped(text: string): string {
  const characters: Record<string, string> = { "#13": "\r", lt: "<", gt: ">", quot: '"', amp: "&" };
  return text.replace(/&([^;]+);/g, (entity, name) => {
    const character = characters[name];
    if (character === undefined) throw new Error(`unknown ${entity}`);
    return character;
  });
}
