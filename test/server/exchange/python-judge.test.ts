import { afterAll, beforeAll, expect, test } from "bun:test";
import { dicomwebExamples } from "../../../src/server/render/api-examples.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type TestApp } from "../../support/app/test-app.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { freePort } from "../../support/network/free-port.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { sampleInstance, studyUID } from "../../support/zip/sample-zip.ts";

/** Python's dicomweb-client itself, where it is installed; its forms are in `python-client.test.ts` for everywhere else. */
const python = ["python3", "/usr/bin/python3"].find(
  (command) =>
    Bun.which(command) &&
    Bun.spawnSync([command, "-c", "from dicomweb_client.api import DICOMwebClient"]).exitCode === 0,
);
const unlessInstalled = test.skipIf(python === undefined);

/** Small chunks, so that instances are sent and read in several. */
const JOB = `
import sys
from io import BytesIO
import pydicom
from requests import HTTPError
from dicomweb_client.api import DICOMwebClient

url, token = sys.argv[1:3]
client = DICOMwebClient(url, headers={"Authorization": "Bearer " + token}, chunk_size=500)
sent = [pydicom.dcmread(path) for path in sys.argv[3:]]

def written(dataset):
    with BytesIO() as file:
        pydicom.dcmwrite(file, dataset)
        return file.getvalue()

def same(datasets, expected):
    assert sorted(map(written, datasets)) == sorted(map(written, expected))

def status(call, *args, **named):
    try:
        call(*args, **named)
    except HTTPError as error:
        return error.response.status_code

stored = client.store_instances(sent)
assert len(stored.ReferencedSOPSequence) == len(sent) and "FailedSOPSequence" not in stored
path, _, rle = [(one.StudyInstanceUID, one.SeriesInstanceUID, one.SOPInstanceUID) for one in sent]
study, series, _ = path
assert status(client.store_instances, sent, "1.2.3") == 409

found = client.search_for_studies(search_filters={"PatientName": "concei*"}, fields=["StudyDescription"])
assert [pydicom.Dataset.from_json(one).StudyInstanceUID for one in found] == [study]
assert len(client.search_for_studies(fuzzymatching=True, search_filters={"PatientName": "joao"})) == 1
assert client.search_for_studies(search_filters={"PatientID": "nobody"}) == []
assert len(client.search_for_series(study, search_filters={"Modality": "CT"})) == 2
assert len(client.search_for_instances(limit=1, get_remaining=True)) == len(sent)
assert status(client.search_for_studies, search_filters={"StudyDate": "yesterday"}) == 400

same(client.retrieve_study(study), sent)
same(client.iter_study(study, media_types=(("application/dicom", "*"),)), sent)
same(client.retrieve_series(study, series), sent[:2])
same(client.iter_series(study, series), sent[:2])
same([client.retrieve_instance(*path)], sent[:1])
assert status(client.retrieve_study, "1.2.3") == 404

assert [len(client.retrieve_study_metadata(study)), len(client.retrieve_series_metadata(study, series))] == [3, 2]
read = lambda tag, vr, uri: client.retrieve_bulkdata(uri)[0]
metadata = client.retrieve_instance_metadata(*path)
dataset = pydicom.Dataset.from_json(metadata, bulk_data_uri_handler=read)
assert dataset.PixelData == sent[0].PixelData and dataset.PatientName == sent[0].PatientName
uri = metadata["7FE00010"]["BulkDataURI"]
assert list(client.iter_bulkdata(uri, byte_range=(2, 5))) == [sent[0].PixelData[2:6]]

octets = ("application/octet-stream",)
assert client.retrieve_instance_frames(*path, [1], octets) == [sent[0].PixelData]
frames = [bytes([1, 2, 3, 4]), bytes([5, 6, 7, 8])]
for types in (None, ("image/*",), ("image/x-dicom-rle",), (("application/octet-stream", "*"),)):
    assert client.retrieve_instance_frames(*rle, [1, 2], types) == frames
    assert list(client.iter_instance_frames(*rle, [2, 1], types)) == frames[::-1]
assert status(client.retrieve_instance_frames, *rle, [1], ("image/jpeg",)) == 406

for picture in (
    client.retrieve_instance_rendered(*path, ("image/jpeg",), {"quality": 50, "viewport": "8,8"}),
    client.retrieve_series_rendered(study, series, ("image/*",)),
    client.retrieve_instance_frames_rendered(*path, [1]),
):
    assert picture.startswith(b"\\xff\\xd8")
assert client.retrieve_instance_rendered(*path, ("image/png",)).startswith(b"\\x89PNG")
assert status(client.delete_instance, *path) == 405
print("done")
`;

let t: TestApp;
let server: ReturnType<typeof Bun.serve>;
let origin: string;
let token: string;
beforeAll(async () => {
  if (python === undefined) return;
  const port = await freePort();
  // The client asks for long values at the addresses that the metadata name.
  origin = `http://127.0.0.1:${port}`;
  t = await createTestApp({ env: { PUBLIC_URL: origin } });
  server = Bun.serve({ hostname: "127.0.0.1", port, fetch: (request) => t.app.fetch(request) });
  const as = await t.addPerson("Quem Programa");
  const json = { name: "python", scopes: ["dicomweb:read", "dicomweb:write"] };
  ({ token } = (await (await t.call("POST", "/api/tokens", { as, json })).json()) as { token: string });
}, 240_000);
afterAll(async () => {
  await server?.stop(true);
  await t?.[Symbol.asyncDispose]();
});

const RLE = "1.2.840.10008.1.2.5";
const rle = sampleFile(
  {
    [TagHex.StudyInstanceUID]: { vr: "UI", Value: [studyUID("1")] },
    [TagHex.SeriesInstanceUID]: { vr: "UI", Value: ["2.25.2.1.2"] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: ["2.25.3.1.2.1"] },
    [TagHex.NumberOfFrames]: { vr: "IS", Value: [2] },
    [TagHex.PixelData]: { vr: "OB", fragments: [Uint8Array.of(1, 2, 3, 4), Uint8Array.of(5, 6, 7, 8)] },
  },
  { transferSyntaxUID: RLE },
);

/** Runs Python with the files in its folder; returns what it printed. */
async function run(script: string, files: Record<string, Uint8Array>, ...args: string[]): Promise<string> {
  await using folder = createTempFolder();
  for (const [name, bytes] of Object.entries(files)) await Bun.write(`${folder.path}/${name}`, bytes);
  const command = [python ?? "", "-c", script, ...args];
  const child = Bun.spawn(command, { cwd: folder.path, stdio: ["ignore", "pipe", "pipe"] });
  const [printed, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(`${await child.exited} ${complaint}`).toStartWith("0 ");
  return printed.trim();
}

unlessInstalled("Python's dicomweb-client stores, finds, reads and draws instances", async () => {
  const long = { "00091001": { vr: "OB", bytes: new Uint8Array(2_000).fill(7) } };
  const slice = (sop: string) => sampleInstance({ sop, elements: long });
  const files = { first: slice("1"), second: slice("2"), rle };
  const args = [`${origin}/dicomweb`, token, ...Object.keys(files)];
  expect(await run(JOB, files, ...args)).toBe("done");
});

unlessInstalled("the example for Python does what the page of the API says", async () => {
  const example = dicomwebExamples(origin).find(({ title }) => title.startsWith("Python"));
  const script = (example?.code ?? "")
    .replace("exm_…", token)
    .replace('"1.2.3", "1.2.3.4"', `"${studyUID("2")}", "2.25.2.2.1"`)
    .concat("\nprint(len(studies), len(datasets))");
  const image = sampleInstance({
    study: "2",
    elements: { [TagHex.PatientName]: { vr: "PN", Value: ["Silva^Ana"] } },
  });
  expect(await run(script, { "image.dcm": image })).toBe("1 1");
});
