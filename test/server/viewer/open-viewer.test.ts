import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { ensureBuilt } from "../../../scripts/build/ensure-built.ts";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import { createViewerAssets } from "../../../src/server/features/viewer/viewer.assets.ts";
import { createViewerRoutes } from "../../../src/server/features/viewer/viewer.routes.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { unauthenticated } from "../../../src/server/http/http.errors.ts";
import { folderAssets } from "../../../src/server/render/assets.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { dicomwebApp } from "../../support/app/dicomweb-app.ts";
import { createMemoryCatalogue } from "../../support/app/memory-catalogue.ts";
import { launchBrowser } from "../../support/browser/browser.ts";

const SAMPLES = process.env.DICOM_SAMPLES;
const VIEWER = join(import.meta.dir, "../../../dist/viewer");
const TOKEN = "a-token-nobody-shall-see";
const TIMEOUT_MS = 240_000;

describe.skipIf(!SAMPLES)("a study in the viewer", () => {
  let browser: Browser;
  let page: Page;
  let server: ReturnType<typeof Bun.serve>;
  let studyInstanceUID: string;
  let share: number;
  let tokenIsAlive = true;
  let onFrame = () => {};
  const reached = new Set<string>();

  beforeAll(async () => {
    ensureBuilt();
    const held = readSamples(join(SAMPLES ?? "", "dcm_qa_ct/In/GE"));
    studyInstanceUID = held[0]?.instance.studyInstanceUID ?? "";
    const catalogue = createMemoryCatalogue(held);
    const app = dicomwebApp((c) => {
      if (!tokenIsAlive || c.req.param("token") !== TOKEN) throw new AppError(unauthenticated);
      if (c.req.path.includes("/frames/")) onFrame();
      return catalogue;
    });
    server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch });
    const assets = createViewerAssets({
      source: folderAssets(VIEWER),
      publicOrigin: server.url.origin,
    });
    app.route("/viewer", createViewerRoutes(assets));
    app.get("/api/secret", (c) => c.text("secret"));
    browser = await launchBrowser();
    page = await newPage();
  }, TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await server?.stop(true);
  });

  async function newPage(): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: "en-US" });
    page.on("request", (request) => reached.add(new URL(request.url()).origin));
    return page;
  }

  const address = (language: string) => {
    const query = new URLSearchParams({ StudyInstanceUIDs: studyInstanceUID, t: TOKEN, lng: language });
    return `${server.url.origin}/viewer/basic?${query}`;
  };
  const open = async (language: string) => {
    await page.goto(address(language), { waitUntil: "commit" });
    return headInSight(page);
  };

  // The first three look at one page: the viewer takes seconds of computing to start.
  test(
    "speaks the language of the application around it",
    async () => {
      await open("en-US");
      await page.locator('[data-cy="MeasurementTools-split-button-secondary"]').click();
      await page.getByText("Length").first().waitFor();
      share = await open("pt-BR");
      await page.locator('[data-cy="MeasurementTools-split-button-secondary"]').click();
      await page.getByText("Comprimento").waitFor();
    },
    TIMEOUT_MS,
  );

  test("can't call our API", async () => {
    const outcome = await page.evaluate(() =>
      fetch("/api/secret").then(
        () => "answered",
        () => "blocked",
      ),
    );
    expect(outcome).toBe("blocked");
  });

  test(
    "shows the head, hides the token, and asks nobody but us",
    async () => {
      expect(share).toBeGreaterThan(0.1);
      expect(share).toBeLessThan(0.6);
      expect(page.url()).not.toContain(TOKEN);
      expect([...reached].filter((origin) => origin !== "null")).toEqual([server.url.origin]);

      // Outside of the application's frame a reload of the sandboxed page brings no token back.
      await page.reload({ waitUntil: "commit" });
      await page.getByRole("alert").getByText("O acesso a este exame terminou").waitFor();
    },
    TIMEOUT_MS,
  );

  test(
    "is covered when its token ends while it is open, and stays so after a reload",
    async () => {
      onFrame = () => {
        tokenIsAlive = false;
      };
      await page.close();
      page = await newPage();
      await page.goto(address("pt-BR"), { waitUntil: "commit" });
      const notice = page.getByRole("alert").getByText("O acesso a este exame terminou");
      await notice.waitFor();
      await page.reload({ waitUntil: "commit" });
      await notice.waitFor();
    },
    TIMEOUT_MS,
  );
});

/** Waits for the first image; the share of the viewport that is lit. */
async function headInSight(page: Page): Promise<number> {
  const lit = await page.waitForFunction(
    () => {
      const canvas = document.querySelector<HTMLCanvasElement>("canvas.cornerstone-canvas");
      const context = canvas?.width ? canvas.getContext("2d") : null;
      if (!canvas || !context) return 0;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4) if ((data[at] ?? 0) > 60) count++;
      const share = count / (data.length / 4);
      return share > 0.05 ? share : 0;
    },
    undefined,
    { polling: 100 },
  );
  return Number(await lit.jsonValue());
}

function readSamples(folder: string) {
  return readdirSync(folder).map((name) => {
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    const read = readInstance(memorySource(bytes));
    if (!read.ok) throw new Error(`${name}: ${read.reason}`);
    return { bytes, instance: read.instance };
  });
}
