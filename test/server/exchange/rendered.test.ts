import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { connect } from "node:net";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { SIDE, twoFrames } from "../../support/browser/two-frames.ts";
import { until } from "../../support/until.ts";
import { sampleZip, studyUID } from "../../support/zip/sample-zip.ts";

const number = (vr: string, value: number) => ({ vr, Value: [value] });

let t: TestApp;
let owner: Person;
beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Quem Olha");
  await t.store(owner, sampleZip({ study: "1", elements: twoFrames }));
}, 240_000);
afterAll(() => t[Symbol.asyncDispose]());

const study = `/dicomweb/studies/${studyUID("1")}`;
const series = `${study}/series/2.25.2.1.1`;
const instance = `${series}/instances/2.25.3.1.1.1`;

async function draw(path: string, headers: Record<string, string> = {}) {
  const answer = await t.call("GET", path, { as: owner, headers });
  const { status } = answer;
  const type = answer.headers.get("content-type");
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const isImage = status === 200;
  const { width, height } = isImage ? await new Bun.Image(bytes).metadata() : { width: 0, height: 0 };
  return { status, type, bytes, width, height, etag: answer.headers.get("etag") ?? "" };
}

describe("a rendered image", () => {
  test.each([study, series, instance, `${instance}/frames/2`])("comes from %s", async (path) => {
    expect(await draw(`${path}/rendered`)).toMatchObject({
      ...{ status: 200, type: "image/jpeg", width: SIDE, height: SIDE },
    });
    expect(await draw(`${path}/thumbnail`)).toMatchObject({ status: 200, type: "image/jpeg" });
  });

  test("is JPEG, PNG or GIF as the client takes, also by a parameter", async () => {
    expect((await draw(`${instance}/rendered`, { accept: "image/png" })).type).toBe("image/png");
    expect((await draw(`${instance}/rendered?accept=image/png`)).type).toBe("image/png");
    expect((await draw(`${instance}/rendered`, { accept: "image/webp" })).status).toBe(406);
    const gif = await draw(`${instance}/rendered`, { accept: "image/gif" });
    expect(gif).toMatchObject({ status: 200, type: "image/gif", width: SIDE, height: SIDE });
    const { bytes: png } = await draw(`${instance}/rendered?accept=image/png`);
    expect(await new Bun.Image(gif.bytes).png().bytes()).toEqual(await new Bun.Image(png).png().bytes());
    const liked = { accept: "image/png;q=0.5, image/jpeg;q=0.9" };
    expect((await draw(`${instance}/rendered`, liked)).type).toBe("image/jpeg");
  });

  test("has the size of its viewport, the pixels of its window and the quality that was asked for", async () => {
    expect(await draw(`${instance}/rendered?viewport=32,100`)).toMatchObject({ width: 32, height: 32 });
    expect(await draw(`${instance}/rendered?viewport=128,128`)).toMatchObject({ width: 128, height: 128 });
    const png = (query: string) => draw(`${instance}/frames/1/rendered?${query}`, { accept: "image/png" });
    const usual = await png("");
    const narrow = await png("window=100,10,linear");
    const black = await png("window=60000,1,linear-exact");
    expect(usual.bytes).toEqual((await png("")).bytes);
    expect(narrow.bytes).not.toEqual(usual.bytes);
    // An image of one colour packs to almost nothing.
    expect(black.bytes.length).toBeLessThan(narrow.bytes.length);
    const coarse = await draw(`${instance}/rendered?quality=5`);
    expect(coarse.bytes.length).toBeLessThan((await draw(`${instance}/rendered?quality=95`)).bytes.length);
  });

  test("says which annotations and ICC profiles it lacks", async () => {
    const asked = async (query: string, accept = "image/jpeg") => {
      const answer = await t.call("GET", `${instance}/rendered?${query}`, { as: owner, headers: { accept } });
      const image = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, warning: answer.headers.get("warning"), image };
    };
    const { image } = await asked("");
    const unsupported = (name: string, values: string) =>
      `299 dicomweb "The following ${name} values are not supported: ${values}"`;
    expect(await asked("annotation=patient,technique")).toEqual({
      ...{ status: 200, warning: unsupported("annotation", "patient, technique"), image },
    });
    expect(await asked("iccprofile=no")).toEqual({ status: 200, warning: null, image });
    expect(await asked("iccprofile=srgb&annotation=patient")).toEqual({
      status: 200,
      warning: `${unsupported("annotation", "patient")}, ${unsupported("iccprofile", "srgb")}`,
      image,
    });
    const several = await asked("annotation=patient", 'multipart/related; type="image/jpeg"');
    expect(several).toMatchObject({ status: 200, warning: unsupported("annotation", "patient") });
    for (const [query, warning] of [
      ["annotation=", null],
      ["annotation=patient,", unsupported("annotation", "patient")],
      ["annotation=name", unsupported("annotation", "name")],
      ["annotation=patient%0D%0AX-Evil:%20yes", unsupported("annotation", "all")],
      ["annotation=patient&annotation=%22,299", unsupported("annotation", "patient, 299")],
      ["iccprofile=constructor", unsupported("iccprofile", "constructor")],
      ["iccprofile=sRGB", unsupported("iccprofile", "sRGB")],
    ] as const)
      expect(await asked(query)).toEqual({ status: 200, warning, image });
    expect(await asked("iccprofile=yes", "image/gif")).toMatchObject({
      ...{ status: 200, warning: unsupported("iccprofile", "yes") },
    });
    const thumbnail = await t.call("GET", `${instance}/thumbnail?annotation=name`, { as: owner });
    expect(thumbnail.status).toBe(200);
  });

  test("shows the part of the image that its viewport names, mirrored where a side is negative", async () => {
    const png = (part: string) =>
      draw(`${instance}/frames/1/rendered?viewport=32,32${part}&window=100,100&accept=image/png`);
    const [whole, left, right] = [await png(""), await png(",0,0,8,16"), await png(",8,0,8,16")];
    expect(left).toMatchObject({ status: 200, width: 16, height: 32 });
    expect(left.bytes).not.toEqual(right.bytes);
    expect((await png(",,,,")).bytes).toEqual(whole.bytes);
    expect((await png(`,0,0,${SIDE},${SIDE}`)).bytes).toEqual(whole.bytes);
    expect((await png(",8,0,8")).bytes).toEqual((await png(`,8,0,8,${SIDE}`)).bytes);
    expect((await png(",0,0,-8,16")).bytes).not.toEqual(left.bytes);
    expect((await png(`,${SIDE},0`)).status).toBe(422);
    for (const part of [",0,0,0,5", ",a", ",0,0,5,5,5"]) expect((await png(part)).status).toBe(400);
  });

  test("comes with all others of its place to who takes several, each with its address", async () => {
    await t.store(owner, sampleZip({ study: "3", sop: "2", elements: twoFrames }));
    await t.store(owner, sampleZip({ study: "3", series: "2", sop: "3", elements: twoFrames }));
    const several = { accept: 'multipart/related; type="image/png"' };
    const read = async (path: string) => {
      const answer = await t.call("GET", `${path}/rendered`, { as: owner, headers: several });
      const boundary = /boundary=(\S+)/.exec(answer.headers.get("content-type") ?? "")?.[1] ?? "?";
      const parts = Buffer.from(await answer.bytes())
        .toString("latin1")
        .split(`--${boundary}`)
        .slice(1, -1);
      return { status: answer.status, parts: parts.map((part) => /Location: (\S+)/.exec(part)?.[1]) };
    };
    const whole = `/dicomweb/studies/${studyUID("3")}`;
    const [first, second] = [`${whole}/series/2.25.2.3.1`, `${whole}/series/2.25.2.3.2`];
    const images = [`${first}/instances/2.25.3.3.1.2`, `${second}/instances/2.25.3.3.2.3`];
    expect((await read(whole)).parts.sort()).toEqual(images.map((path) => `${path}/rendered`));
    expect((await read(first)).parts).toEqual([`${images[0]}/rendered`]);
    const frames = [1, 2].map((number) => `${images[0]}/frames/${number}/rendered`);
    expect((await read(images[0] ?? "")).parts).toEqual(frames);
    expect((await read(`${images[0]}/frames/2,1,2`)).parts).toEqual(frames.toReversed());
    expect((await read(`${images[0]}/frames/1,3`)).status).toBe(404);
    const listed = (accept: string) =>
      t.call("GET", `${images[0]}/frames/2,1/rendered`, { as: owner, headers: { accept } });
    const any = await listed("*/*");
    expect([any.status, any.headers.get("content-type")?.slice(0, 36)]).toEqual([
      200,
      'multipart/related; type="image/jpeg"',
    ]);
    await any.bytes();
    expect((await listed("image/jpeg")).status).toBe(406);
    const alone = await t.call("GET", (await read(whole)).parts[0] ?? "", { as: owner });
    expect([alone.status, alone.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    const thumbnail = await t.call("GET", `${whole}/thumbnail`, { as: owner, headers: several });
    expect(thumbnail.status).toBe(406);
    const head = await t.call("HEAD", `${whole}/rendered`, { as: owner, headers: several });
    expect(head.status).toBe(200);
    expect((await read(whole)).status).toBe(200);
  });

  test("of several gives its place back from a client that leaves, unread or midway", async () => {
    const frames = 300;
    const noise = crypto.getRandomValues(new Uint16Array(frames * 16 * 16));
    const elements = {
      ...twoFrames,
      [TagHex.Rows]: number("US", 16),
      [TagHex.Columns]: number("US", 16),
      [TagHex.NumberOfFrames]: number("IS", frames),
      [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array(noise.buffer) },
    };
    await t.store(owner, sampleZip({ study: "4", elements }));
    const path = `/dicomweb/studies/${studyUID("4")}/series/2.25.2.4.1/instances/2.25.3.4.1.1/rendered`;
    // Far more bytes than any buffer takes between a client that does not read and the server.
    const headers = { accept: 'multipart/related; type="image/png"' };
    const all = `${path}?viewport=1024,1024`;
    const unread = async () => {
      const answer = await t.call("GET", all, { as: owner, headers });
      await answer.body?.cancel();
      return answer.status;
    };
    expect([await unread(), await unread()]).toEqual([200, 200]);

    const url = new URL(all, await t.listen());
    const authorization = `Bearer ${owner.token}`;
    const status = async () => {
      const leaving = new AbortController();
      const { status } = await fetch(url, {
        headers: { ...headers, authorization },
        signal: leaving.signal,
      });
      leaving.abort();
      return status;
    };
    const client = connect(Number(url.port), url.hostname);
    const lines = [`GET ${all} HTTP/1.1`, `Host: ${url.host}`, `Authorization: ${authorization}`];
    client.write([...lines, `Accept: ${headers.accept}`, "", ""].join("\r\n"));
    const begun = await new Promise<Buffer>((resolve) => client.once("data", resolve));
    client.pause();
    expect(begun.toString("latin1")).toStartWith("HTTP/1.1 200");
    expect(await status()).toBe(503);
    client.destroy();
    for (let times = 0; times < 2; times++) {
      await until(async () => (await status()) === 200);
    }
  });

  test("of several gives its place to who has none, also if none of them was drawn for long", async () => {
    const headers = { accept: 'multipart/related; type="image/png"' };
    const people = await Promise.all(
      ["Uma", "Outra", "Terceira"].map((name) => t.addPerson(`${name} na Fila`)),
    );
    for (const person of people) await t.store(person, sampleZip({ study: "6", elements: twoFrames }));
    const asks = people.map((as) => async () => {
      const answer = await t.call("GET", `/dicomweb/studies/${studyUID("6")}/rendered`, { as, headers });
      await answer.bytes();
      return answer.status;
    });
    const make = spyOn(t.deps.pictures, "make");
    make.mockImplementation(async (_request, signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      throw signal.reason;
    });
    const held = asks.slice(0, 2).map((ask) => ask());
    while (make.mock.calls.length < 2) await Bun.sleep(5);
    make.mockRestore();
    const now = performance.now();
    const clock = spyOn(performance, "now").mockImplementation(() => now + 11_000);
    const last = asks[2]?.();
    // Its time to draw would end later.
    expect(await Promise.race(held).finally(() => clock.mockRestore())).toBe(503);
    expect(await last).toBe(200);
  });

  test("comes to who asks for a page of them at once", async () => {
    const paths = Array.from({ length: 12 }, (_, n) => `${instance}/thumbnail?quality=${n + 1}`);
    const drawn = await Promise.all(paths.map((path) => draw(path)));
    expect(drawn.map(({ status }) => status)).toEqual(Array(12).fill(200));
  });

  test("is not sent again to who has it", async () => {
    const { etag } = await draw(`${instance}/rendered`);
    expect((await draw(`${instance}/rendered`, { "if-none-match": etag })).status).toBe(304);
    for (const known of [`"other", ${etag}`, `W/${etag}`, "*"])
      expect((await draw(`${instance}/rendered`, { "if-none-match": known })).status).toBe(304);
    expect((await draw(`${instance}/rendered?quality=5`, { "if-none-match": etag })).status).toBe(200);
    const first = await draw(`${instance}/frames/1/rendered`);
    const known = { "if-none-match": first.etag };
    expect((await draw(`${instance}/frames/1/rendered`, known)).status).toBe(304);
    expect((await draw(`${instance}/frames/2/rendered`, known)).status).toBe(200);
    // At the same place of another volume.
    await t.store(owner, sampleZip({ study: "5", elements: twoFrames }));
    const other = instance.replace(studyUID("1"), studyUID("5")).replace("2.25.2.1", "2.25.2.5");
    expect((await draw(`${other.replace("2.25.3.1", "2.25.3.5")}/frames/1/rendered`, known)).status).toBe(
      200,
    );
  });

  test.each([
    [`${instance}/rendered?window=1`, 400],
    [`${instance}/rendered?window=1,0,linear`, 400],
    [`${instance}/rendered?viewport=0,10`, 400],
    [`${instance}/rendered?quality=101`, 400],
    [`${instance}/frames/0/rendered`, 404],
    [`${instance}/frames/3/rendered`, 404],
    [`${instance}/frames/x/rendered`, 404],
    [`${series}/instances/2.25.7/rendered`, 404],
    [`/dicomweb/studies/${studyUID("2")}/rendered`, 404],
  ])("is refused: %s", async (path, status) => {
    expect((await draw(path)).status).toBe(status);
  });
});

describe("a viewer token", () => {
  const tokenFor = async (as: Person, studyInstanceUID: string) => {
    const data = btoa(JSON.stringify([{ userId: as.id, studyInstanceUID }]));
    const answer = await t.call("GET", `/generate-token?data=${encodeURIComponent(data)}`, { as });
    return ((await answer.json()) as { token: string }).token;
  };
  const below = (token: string, path: string) => path.replace("/dicomweb/", `/dicomweb/t/${token}/`);

  test("draws what it names, with a window, without any other credential, and until it ends", async () => {
    const token = await tokenFor(owner, studyUID("1"));
    for (const path of [
      `${instance}/rendered?window=2000,10&accept=image/png`,
      `${instance}/frames/2/rendered`,
    ]) {
      const mine = await draw(path);
      const answer = await t.call("GET", below(token, path));
      expect([answer.status, answer.headers.get("etag")]).toEqual([200, mine.etag]);
      expect(await answer.bytes()).toEqual(mine.bytes);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
    const forged = await t.call("GET", below(`${token}x`, `${instance}/rendered`));
    expect(forged.status).toBe(401);
    await t.call("POST", "/api/auth/logout", { as: owner });
    expect((await t.call("GET", below(token, `${instance}/rendered`))).status).toBe(401);
  });

  test("draws nothing of what is no UID", async () => {
    const person = await t.addPerson("Dona de Endereços");
    await t.store(person, sampleZip({ study: "6", elements: twoFrames }));
    const token = await tokenFor(person, studyUID("6"));
    const own = `/dicomweb/t/${token}/studies/${studyUID("6")}`;
    for (const path of [
      `/dicomweb/t/${token}/studies/a%00b`,
      `/dicomweb/t/${token}/studies/${"1".repeat(65)}`,
      `${own}/series/a%00b`,
      `${own}/series/a%00b/instances/2.25.3.6.1.1`,
      `${own}/series/2.25.2.6.1/instances/a%00b`,
      `${own}/series/2.25.2.6.1/instances/a%00b/frames/1`,
    ])
      for (const picture of ["rendered", "thumbnail", "rendered?accept=multipart/related"])
        expect([path, picture, (await t.call("GET", `${path}/${picture}`)).status]).toEqual([
          path,
          picture,
          404,
        ]);
  });

  test("draws no study that it does not name", async () => {
    const other = await t.addPerson("Outra Dona");
    await t.store(other, sampleZip({ study: "5", elements: twoFrames }));
    const token = await tokenFor(other, studyUID("5"));
    expect((await t.call("GET", below(token, `${instance}/rendered`))).status).toBe(404);
  });
});
