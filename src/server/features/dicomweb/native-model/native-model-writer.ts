import TokenType from "@streamparser/json/utils/types/tokenType.js";
import { isPrivate, isPrivateCreator } from "../../../../shared/dicom/reading/dictionary.ts";
import { xmlAttribute, xmlText } from "../../../runtime/xml-text.ts";
import { keywordOf } from "../keywords/keywords.ts";

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n<NativeDicomModel xmlns="http://dicom.nema.org/PS3.19/models/NativeDICOM" xml:space="preserve">';

/** The components of a person's name (PS3.5 §6.2.1), in the order of its carets. */
const COMPONENTS = ["FamilyName", "GivenName", "MiddleName", "NamePrefix", "NameSuffix"] as const;

interface ListOfModels {
  kind: "models";
}
interface DataSet {
  kind: "data set";
  end: string;
  /** The key that was read last. */
  tag: string;
  /** Private creators by group and block, such as `000910`. */
  creators: Map<string, string>;
}
interface Attribute {
  kind: "attribute";
  of: DataSet;
  tag: string;
  /** The key whose value comes next; empty before a key. */
  key: string;
  vr: string;
}
interface Values {
  kind: "values";
  of: Attribute;
  count: number;
}
interface PersonName {
  kind: "name";
  /** As in {@link Attribute}. */
  key: string;
}
type Place = ListOfModels | DataSet | Attribute | Values | PersonName;

/**
 * Writes Native DICOM Models (PS3.19 §A.1) from the tokens of an array of data sets in DICOM JSON (PS3.18 annex F), whose elements name
 * their VR first. It remembers only its place in the tree, so data sets may have any size.
 */
export class NativeModelWriter {
  readonly #startModel: () => string;
  readonly #places: Place[] = [];
  #text = "";

  /** @param startModel gives what stands before each model */
  constructor(startModel: () => string) {
    this.#startModel = startModel;
  }

  /** Whether everything that began has ended. */
  get isWhole(): boolean {
    return this.#places.length === 0;
  }

  /** Returns what was written since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** @throws {Error} if the JSON is not what this program writes */
  write(token: TokenType, value: unknown): void {
    switch (token) {
      case TokenType.COLON:
      case TokenType.COMMA:
      case TokenType.SEPARATOR:
        return;
      case TokenType.LEFT_BRACKET:
        this.#openArray();
        return;
      case TokenType.LEFT_BRACE:
        this.#openObject();
        return;
      case TokenType.RIGHT_BRACKET:
        this.#places.pop();
        return;
      case TokenType.RIGHT_BRACE:
        this.#closeObject();
        return;
      default:
        this.#writeScalar(value);
    }
  }

  #openArray(): void {
    const place = this.#places.at(-1);
    if (!place) this.#places.push({ kind: "models" });
    else if (place.kind === "attribute" && place.key === "Value")
      this.#places.push({ kind: "values", of: place, count: 0 });
    else throw unexpected();
  }

  #openObject(): void {
    const place = this.#places.at(-1);
    if (place?.kind === "models") {
      this.#text += this.#startModel() + HEAD;
      this.#openDataSet("</NativeDicomModel>\n");
    } else if (place?.kind === "data set") {
      this.#places.push({ kind: "attribute", of: place, tag: place.tag, key: "", vr: "" });
    } else if (place?.kind === "values" && place.of.vr === "SQ") {
      this.#text += `<Item number="${++place.count}">`;
      this.#openDataSet("</Item>");
    } else if (place?.kind === "values" && place.of.vr === "PN") {
      this.#text += `<PersonName number="${++place.count}">`;
      this.#places.push({ kind: "name", key: "" });
    } else {
      throw unexpected();
    }
  }

  #openDataSet(end: string): void {
    this.#places.push({ kind: "data set", end, tag: "", creators: new Map() });
  }

  #closeObject(): void {
    const place = this.#places.pop();
    if (place?.kind === "data set") this.#text += place.end;
    else if (place?.kind === "name") this.#text += "</PersonName>";
    else if (place?.kind === "attribute" && place.vr !== "") this.#text += "</DicomAttribute>";
    else throw unexpected();
  }

  #writeScalar(value: unknown): void {
    const place = this.#places.at(-1);
    switch (place?.kind) {
      case "data set":
        place.tag = String(value);
        return;
      case "attribute":
        this.#writeMember(place, String(value));
        return;
      case "values":
        this.#writeValue(place, value);
        return;
      case "name":
        if (place.key === "") {
          place.key = String(value);
        } else {
          this.#text += groupXml(place.key, String(value ?? ""));
          place.key = "";
        }
        return;
      default:
        throw unexpected();
    }
  }

  /** A key of an element, or a value of one that is no array. */
  #writeMember(attribute: Attribute, text: string): void {
    const { key } = attribute;
    if (key === "" || key === "Value") {
      attribute.key = text;
      return;
    }
    attribute.key = "";
    if (key === "vr") {
      attribute.vr = text;
      this.#text += startTag(attribute);
    } else if (key === "BulkDataURI") {
      this.#text += `<BulkData uri=${xmlAttribute(text)}/>`;
    } else if (key === "InlineBinary") {
      this.#text += `<InlineBinary>${xmlText(text)}</InlineBinary>`;
    }
  }

  #writeValue(values: Values, value: unknown): void {
    const { of: attribute } = values;
    const text = value === null ? "" : String(value);
    const name = attribute.vr === "SQ" ? "Item" : attribute.vr === "PN" ? "PersonName" : "Value";
    this.#text += `<${name} number="${++values.count}">${xmlText(text)}</${name}>`;
    const { tag, of: dataSet } = attribute;
    if (values.count === 1 && isPrivateCreator(Number.parseInt(tag, 16)))
      dataSet.creators.set(tag.slice(0, 4) + tag.slice(6), text);
  }
}

/** A private element is named by its creator instead of the block that it has in this data set (PS3.19 table A.1.5-2). */
function startTag({ tag, vr, of: { creators } }: Attribute): string {
  const creator = isPrivate(Number.parseInt(tag, 16)) ? creators.get(tag.slice(0, 6)) : undefined;
  const keyword = keywordOf(tag);
  const named = keyword === undefined ? "" : ` keyword="${keyword}"`;
  const shown = creator === undefined ? tag : `${tag.slice(0, 4)}00${tag.slice(6)}`;
  const by = creator === undefined ? "" : ` privateCreator=${xmlAttribute(creator)}`;
  return `<DicomAttribute tag=${xmlAttribute(shown)} vr=${xmlAttribute(vr)}${named}${by}>`;
}

/** One group of a name, whose components are apart in XML. What stands behind the last caret that a name may have is kept with it. */
function groupXml(group: string, name: string): string {
  const texts = name.split("^");
  const last = COMPONENTS.length - 1;
  const components = COMPONENTS.map((element, index) => {
    const text = index === last ? texts.slice(last).join("^") : (texts[index] ?? "");
    return text === "" ? "" : `<${element}>${xmlText(text)}</${element}>`;
  });
  const element = group === "Ideographic" || group === "Phonetic" ? group : "Alphabetic";
  return `<${element}>${components.join("")}</${element}>`;
}

function unexpected(): Error {
  return new Error("the metadata are not DICOM JSON as this program writes it");
}
