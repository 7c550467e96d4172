import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { zipSync } from "fflate";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import {
  hasOrthancDicomweb,
  ORTHANC,
  ORTHANC_DICOMWEB,
  type Orthanc,
  startOrthanc,
} from "../../support/dicom/orthanc.ts";
import { sha256 } from "../../support/program/stored-bytes.ts";
import { until } from "../../support/until.ts";
import { sampleInstance, studyUID } from "../../support/zip/sample-zip.ts";

const SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7";
const START_TIMEOUT_MS = 120_000;

/** Two studies, one of them with two series. */
const files = ["1.1", "1.2", "2.1"].map((name, at) => {
  const [study = "", series = ""] = name.split(".");
  const elements = {
    [TagHex.SOPClassUID]: { vr: "UI", Value: [SECONDARY_CAPTURE] },
    [TagHex.PatientName]: { vr: "PN", Value: ["Conceição^João"] },
    [TagHex.SpecificCharacterSet]: { vr: "CS", Value: ["ISO_IR 192"] },
  };
  return sampleInstance({ study, series, sop: String(at), elements });
});
const hashes = files.map((file) => sha256(file)).sort();

describe.skipIf(!hasOrthancDicomweb)("Orthanc", () => {
  let t: TestApp;
  let orthanc: Orthanc;
  let peer: Person;
  let sender: Person;

  beforeAll(async () => {
    t = await createTestApp({ env: { DIMSE_PORT: "0" } });
    peer = await t.addPerson("Quem Troca", { plan: "clinica" });
    sender = await t.addPerson("Quem Recebe", { plan: "clinica" });
    await t.call("POST", "/api/receivers", { as: sender, json: { aeTitle: "CLINICA" } });
    const json = { name: "Orthanc", scopes: ["dicomweb:read", "dicomweb:write"] };
    const { token } = (await (await t.call("POST", "/api/tokens", { as: peer, json })).json()) as {
      token: string;
    };
    const exameteca = {
      Url: `${await t.listen()}/dicomweb/`,
      HttpHeaders: { Authorization: `Bearer ${token}` },
    };
    orthanc = await startOrthanc(ORTHANC ?? "", {
      Plugins: [ORTHANC_DICOMWEB],
      DicomWeb: { Servers: { exameteca } },
      DicomAet: "ORTHANC",
      DicomModalities: { exameteca: ["CLINICA", "127.0.0.1", t.deps.dimse.port ?? 0] },
    });
    await orthanc.call("/instances", zipSync(Object.fromEntries(files.map((file, at) => [`${at}`, file]))));
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await orthanc?.[Symbol.asyncDispose]();
    await t?.[Symbol.asyncDispose]();
  });

  const server = "/dicom-web/servers/exameteca";
  const instances = async () => (await orthanc.call("/instances")) as string[];
  const keptHashes = async () => {
    const kept = await Promise.all((await instances()).map((id) => orthanc.file(id)));
    return kept.map((file) => sha256(file)).sort();
  };

  test("as a DICOMweb peer stores its studies here, finds them and retrieves them bit for bit", async () => {
    const all = (await orthanc.call("/studies")) as string[];
    expect(await orthanc.call(`${server}/stow`, { Resources: all, Synchronous: true })).toMatchObject({
      InstancesCount: String(files.length),
    });
    await t.settle();
    const found = (await orthanc.call(`${server}/qido`, {
      Uri: "/studies",
      Arguments: { PatientName: "CONCEICAO*" },
    })) as Record<string, { Value: string }>[];
    const uids = found.map((study) => study[TagHex.StudyInstanceUID]?.Value).sort();
    expect(uids).toEqual([studyUID("1"), studyUID("2")]);

    await orthanc.deleteStudies();
    expect(await instances()).toEqual([]);
    await orthanc.call(`${server}/retrieve`, {
      Resources: uids.map((Study) => ({ Study })),
      Synchronous: true,
    });
    expect(await keptHashes()).toEqual(hashes);
  });

  test("as a C-STORE sender is answered, and its studies appear", async () => {
    await orthanc.call("/modalities/exameteca/echo", {});
    const sent = { Resources: await instances(), Synchronous: true };
    expect(await orthanc.call("/modalities/exameteca/store", sent)).toMatchObject({
      FailedInstancesCount: 0,
      InstancesCount: files.length,
    });
    const listed = async () => {
      const studies = await (await t.call("GET", "/api/studies", { as: sender })).json();
      return (studies as { imagesReceived: number }[]).map(({ imagesReceived }) => imagesReceived).sort();
    };
    await until(async () => (await listed()).length === 2);
    expect(await listed()).toEqual([1, 2]);
  });
});
