import { indexOfInstances, studyColumns } from "../../src/server/features/ingest/study-index.ts";
import type { studies } from "../../src/server/features/studies/studies.table.ts";
import { foldedGroups, foldName } from "../../src/shared/dicom/folded-name.ts";
import type { DicomJsonElement } from "../../src/shared/dicom/reading/instance.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import { createRandom, type Random } from "../../src/shared/phantom/random.ts";
import { DAY_MS } from "../../src/shared/units.ts";
import { uidOf } from "../demo/phantom/uid.ts";

const NEWEST = Date.UTC(2026, 10, 1);
const YEARS = 10;
const STUDIES_PER_PATIENT = 2.5;

/** Each list holds values and their relative frequencies. */
type Weighted<Value> = readonly (readonly [Value, number])[];

const FEMALE: Weighted<string> = [
  ["Maria", 60],
  ["Ana", 30],
  ["Francisca", 8],
  ["Antônia", 6],
  ["Adriana", 6],
  ["Juliana", 6],
  ["Márcia", 5],
  ["Fernanda", 5],
  ["Patrícia", 5],
  ["Aline", 5],
  ["Conceição", 4],
  ["Beatriz", 4],
  ["Inês", 2],
  ["Íris", 1],
  ["Zoé", 0.2],
];
const MALE: Weighted<string> = [
  ["José", 40],
  ["João", 30],
  ["Antônio", 20],
  ["Francisco", 16],
  ["Carlos", 12],
  ["Paulo", 11],
  ["Pedro", 10],
  ["Luís", 8],
  ["Márcio", 4],
  ["Sérgio", 4],
  ["Otávio", 1],
  ["Caetano", 0.5],
  ["Ítalo", 0.5],
];
const FAMILY: Weighted<string> = [
  ["Silva", 95],
  ["Santos", 65],
  ["Oliveira", 40],
  ["Souza", 38],
  ["Pereira", 26],
  ["Ferreira", 25],
  ["Lima", 24],
  ["Alves", 24],
  ["Rodrigues", 20],
  ["Costa", 19],
  ["Gonçalves", 13],
  ["Araújo", 12],
  ["Conceição", 6],
  ["Assunção", 4],
  ["Sant'Ana", 3],
  ["Leão", 2],
  ["Müller", 1],
  ["Kowalczyk", 0.3],
  ["Yamada", 0.5],
];
/** Names as Latin letters, Chinese characters and kana write them. */
type WrittenName = readonly [alphabetic: string, ideographic: string, phonetic: string];
const JAPANESE_FAMILY: Weighted<WrittenName> = [
  [["Sato", "佐藤", "さとう"], 19],
  [["Suzuki", "鈴木", "すずき"], 18],
  [["Takahashi", "高橋", "たかはし"], 14],
  [["Tanaka", "田中", "たなか"], 13],
  [["Watanabe", "渡辺", "わたなべ"], 11],
  [["Ito", "伊藤", "いとう"], 11],
  [["Yamamoto", "山本", "やまもと"], 10],
  [["Nakamura", "中村", "なかむら"], 10],
  [["Kobayashi", "小林", "こばやし"], 10],
  [["Kato", "加藤", "かとう"], 9],
  [["Yoshida", "吉田", "よしだ"], 8],
  [["Yamada", "山田", "やまだ"], 8],
  [["Sasaki", "佐々木", "ささき"], 7],
  [["Yamaguchi", "山口", "やまぐち"], 6],
  [["Matsumoto", "松本", "まつもと"], 6],
  [["Inoue", "井上", "いのうえ"], 6],
  [["Kimura", "木村", "きむら"], 6],
  [["Hayashi", "林", "はやし"], 5],
  [["Saito", "斎藤", "さいとう"], 5],
  [["Hasegawa", "長谷川", "はせがわ"], 4],
  [["Watabe", "渡部", "わたべ"], 0.4],
  [["Gotanda", "五反田", "ごたんだ"], 0.2],
];
const JAPANESE_GIVEN: Weighted<WrittenName> = [
  [["Tarou", "太郎", "たろう"], 8],
  [["Hanako", "花子", "はなこ"], 8],
  [["Kenji", "健二", "けんじ"], 7],
  [["Hiroshi", "浩", "ひろし"], 7],
  [["Youko", "洋子", "ようこ"], 7],
  [["Keiko", "恵子", "けいこ"], 6],
  [["Takashi", "隆", "たかし"], 6],
  [["Yuuki", "裕樹", "ゆうき"], 5],
  [["Akira", "明", "あきら"], 5],
  [["Misaki", "美咲", "みさき"], 5],
  [["Kouji", "浩二", "こうじ"], 4],
  [["Shintarou", "慎太郎", "しんたろう"], 3],
  [["Naomi", "直美", "なおみ"], 3],
  [["Makoto", "誠", "まこと"], 3],
  [["Sakura", "さくら", "さくら"], 2],
  [["Ryuunosuke", "龍之介", "りゅうのすけ"], 0.3],
];
/** The patient of {@link RARE_NAME} as `groupedPopulation` writes their name. */
const RARE_GROUPS: WrittenName = ["Takanashi^Yuzuha", "小鳥遊^柚葉", "たかなし^ゆずは"];
const MANY_SLICES = new Set(["CT", "MR", "PT"]);

/** Modalities of a study, its usual descriptions, series and instances. */
const KINDS: Weighted<{
  modalities: string[];
  descriptions: Weighted<string>;
  series: number;
  instances: number;
}> = [
  [
    kind("CR", ["RX de tórax PA", 5], ["RX de joelho", 2], ["RX de mão e punho", 1], ["Escanometria", 0.2]),
    28,
  ],
  [kind("DX", ["RX de tórax PA e perfil", 5], ["RX de coluna lombar", 2], ["RX de seios da face", 1]), 14],
  [
    kind("US", ["US de abdome total", 4], ["US obstétrica", 3], ["Ecocardiograma", 2], ["US de tireoide", 2]),
    25,
  ],
  [
    kind(
      "CT",
      ["TC de tórax", 4],
      ["TC de crânio sem contraste", 4],
      ["TC de abdome e pelve", 3],
      ["AngioTC", 1],
    ),
    14,
  ],
  [
    kind(
      "MR",
      ["RM de encéfalo", 3],
      ["RM de joelho", 3],
      ["RM de coluna lombar", 3],
      ["Colangiorressonância", 0.3],
    ),
    8,
  ],
  [kind("MG", ["Mamografia bilateral", 9], ["Mamografia com magnificação", 0.5]), 7],
  [kind("CT\\SR", ["TC de tórax com laudo de dose", 1]), 1.5],
  [kind("CT\\PT", ["PET-CT oncológico", 1]), 0.7],
  [kind("NM", ["Cintilografia óssea", 1]), 0.8],
  [kind("XA", ["Cateterismo cardíaco", 1]), 0.5],
  [kind("ES", ["Colonoscopia", 1], ["Endoscopia digestiva alta", 1]), 0.5],
];
function kind(modality: string, ...descriptions: [string, number][]) {
  const modalities = modality.split("\\");
  const isLong = modalities.some((code) => MANY_SLICES.has(code));
  return { modalities, descriptions, series: isLong ? 8 : 2, instances: isLong ? 600 : 4 };
}

const PHYSICIANS = 400;
/** Who referred exactly one study. */
const RARE_PHYSICIAN = "Quaresma^Policarpo";
/** A patient with exactly one study, so that a search can find it alone. */
const RARE_NAME = "Zoroastro";

/**
 * Studies as an imaging clinic has them: the same frequencies, in no order of dates (as discs are imported), some without a date,
 * a name, a description or a modality. The same arguments give the same studies with other ids.
 */
export function* studyPopulation(
  accountId: string,
  count: number,
): Generator<typeof studies.$inferInsert, void, undefined> {
  const random = createRandom(1);
  for (let index = 0; index < count; index++) yield study(accountId, index, count, random);
}

/** The studies of {@link studyPopulation}. Each patient's name has an alphabetic, an ideographic and a phonetic group. */
export function* groupedPopulation(
  accountId: string,
  count: number,
): Generator<typeof studies.$inferInsert, void, undefined> {
  for (const study of studyPopulation(accountId, count)) {
    const groups = writtenName(study.patientName?.includes(RARE_NAME) ? undefined : (study.patientID ?? ""));
    const [Alphabetic, Ideographic, Phonetic] = groups;
    const name: DicomJsonElement = { vr: "PN", Value: [{ Alphabetic, Ideographic, Phonetic }] };
    yield {
      ...study,
      patientName: Alphabetic,
      patientNameFolded: foldName(Alphabetic),
      patientNameGroups: foldedGroups(name),
      attributes: { ...study.attributes, [TagHex.PatientName]: name },
    };
  }
}

/** The name of a patient in each group; the rare one for none. */
function writtenName(patientID: string | undefined): WrittenName {
  if (patientID === undefined) return RARE_GROUPS;
  const random = createRandom(Number(patientID.slice(4)) + 29);
  const [family, given] = [pick(JAPANESE_FAMILY, random), pick(JAPANESE_GIVEN, random)];
  const inGroup = (group: 0 | 1 | 2) => `${family[group]}^${given[group]}`;
  return [inGroup(0), inGroup(1), inGroup(2)];
}

function study(accountId: string, index: number, count: number, random: Random): typeof studies.$inferInsert {
  const isRare = index === Math.floor(count * 0.77);
  const patient = isRare ? -1 : Math.floor((random() * count) / STUDIES_PER_PATIENT);
  const examined = new Date(NEWEST - Math.floor(random() ** 1.5 * YEARS * 365) * DAY_MS);
  const { modalities, descriptions, series, instances } = pick(KINDS, random);
  const instanceIndex = {
    ...person(patient),
    patientID: `PAC-${String(patient + 1).padStart(6, "0")}`,
    patientBirthDate: "1970-05-09",
    accessionNumber: random() < 0.02 ? null : String(20_000_000 + index),
    studyDescription: random() < 0.02 ? null : pick(descriptions, random),
    studyDate: random() < 0.005 ? null : examined.toISOString().slice(0, 10),
    studyTime: `${String(7 + Math.floor(random() * 12)).padStart(2, "0")}:${String(Math.floor(random() * 60)).padStart(2, "0")}:00`,
    institutionName: "Clínica São João",
    modality: null,
    seriesNumber: null,
    seriesDescription: null,
    instanceNumber: null,
    rows: null,
    columns: null,
  };
  const seriesCount = 1 + Math.floor(random() * series);
  return {
    id: Bun.randomUUIDv7(),
    accountId,
    studyInstanceUID: uidOf("bench list", accountId, index),
    ...studyColumns(indexOfInstances(instanceIndex, random() < 0.01 ? [] : modalities), {}),
    seriesCount,
    instanceCount: seriesCount + Math.floor(random() * instances),
    sizeBytes: 150_000_000,
    storageStatus: "b2",
    attributes: {
      [TagHex.ReferringPhysicianName]: { vr: "PN", Value: [{ Alphabetic: physician(index, count) }] },
      [TagHex.StudyID]: { vr: "SH", Value: [String(index)] },
    },
    labelled: true,
    patientNameTries: null,
    studyTimeTries: null,
    createdAt: new Date(NEWEST + index * 1000),
  };
}

/** One of some hundred, each with fewer studies than the one before; the rare one has one study. */
function physician(index: number, count: number): string {
  if (index === Math.floor(count * 0.4)) return RARE_PHYSICIAN;
  const number = Math.floor(createRandom(index + 41)() ** 2 * PHYSICIANS);
  const random = createRandom(number + 43);
  return `${pick(FAMILY, random)}^${pick(FEMALE, random)}^${number}`;
}

/** A patient has the same name in all their studies. */
function person(patient: number): { patientName: string | null; patientSex: string } {
  const random = createRandom(patient + 17);
  const isFemale = random() < 0.58;
  const given = isFemale ? FEMALE : MALE;
  const first = patient < 0 ? RARE_NAME : pick(given, random);
  const second = random() < 0.4 ? ` ${pick(given, random)}` : "";
  const family = `${pick(FAMILY, random)} ${pick(FAMILY, random)}`;
  const isUnnamed = patient >= 0 && random() < 0.003;
  return { patientName: isUnnamed ? null : `${family}^${first}${second}`, patientSex: isFemale ? "F" : "M" };
}

function pick<Value>(values: Weighted<Value>, random: Random): Value {
  let left = random() * values.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of values) {
    left -= weight;
    if (left < 0) return value;
  }
  return (values[0] as Weighted<Value>[number])[0];
}
