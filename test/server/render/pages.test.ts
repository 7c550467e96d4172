import { beforeAll, describe, expect, test } from "bun:test";
import { Hono } from "hono";
import type { HttpEnv } from "../../../src/server/http/http-context.ts";
import { notFoundHandler } from "../../../src/server/http/problem.ts";
import { requestContext } from "../../../src/server/http/request-context.ts";
import { securityHeaders } from "../../../src/server/http/security-headers.ts";
import type { Asset, AssetSource } from "../../../src/server/render/assets.ts";
import type { ClientGraph } from "../../../src/server/render/client-graph.ts";
import { createPageRoutes, type PageOptions } from "../../../src/server/render/pages.ts";

const graph: ClientGraph = {
  entry: "/assets/boot-1.js",
  styles: ["/assets/index-1.css"],
  fonts: ["/assets/sans-1.woff2"],
  icon: "/assets/icon-1.svg",
  marks: {
    png32: "/assets/mark-32-1.png",
    apple180: "/assets/mark-180-1.png",
    png192: "/assets/mark-192-1.png",
    png512: "/assets/mark-512-1.png",
    maskable512: "/assets/mark-maskable-512-1.png",
    storage: "/assets/imagestorage-1.png",
    cards: { "pt-BR": "/assets/card-pt-BR-1.png", "en-US": "/assets/card-en-US-1.png" },
  },
  islands: {
    auth: ["/assets/boot-1.js", "/assets/auth-1.js"],
    help: ["/assets/boot-1.js", "/assets/help-1.js"],
    his: ["/assets/boot-1.js", "/assets/his-1.js"],
    verify: ["/assets/boot-1.js", "/assets/verify-1.js"],
    visit: ["/assets/boot-1.js", "/assets/visit-1.js"],
    delivery: ["/assets/boot-1.js", "/assets/delivery-1.js"],
  },
  visor: ["/assets/visor-1.js"],
  locales: { "pt-BR": "/assets/pt-1.js", "en-US": "/assets/en-1.js" },
  hisLocales: { "pt-BR": "/assets/his-pt-1.js", "en-US": "/assets/his-en-1.js" },
};

const HOSTILE_NAME = `Exames "A" & <script>alert(1)</script>`;

function memoryAssets(files: Record<string, string>): AssetSource {
  const asset = (content: string): Asset => ({
    type: "text/javascript; charset=utf-8",
    etag: "e",
    immutable: true,
    codings: [],
    sizeBytes: content.length,
    body: (coding) => (coding === "identity" ? new Blob([content]) : undefined),
  });
  return {
    get: (path) => (files[path] === undefined ? undefined : asset(files[path])),
    paths: () => Object.keys(files),
  };
}

let app: Hono<HttpEnv>;

type Chosen = Partial<Pick<PageOptions, "viewerOrigin" | "trialDays" | "readTrialExams">>;

function createPages(options: Chosen = {}): Hono<HttpEnv> {
  const assets = memoryAssets({
    ...{ "graph.json": JSON.stringify(graph), "boot-1.js": "boot()" },
    "imagestorage-1.png": "films",
  });
  const app = new Hono<HttpEnv>();
  app.notFound(notFoundHandler);
  app.use(
    requestContext({ trustProxy: [] }),
    securityHeaders({ https: false, frameSource: "'self'", isDevelopment: false }),
  );
  const page = {
    productName: HOSTILE_NAME,
    publicUrl: "https://exames.example",
    registration: "open",
    trialDays: 14,
    maxUploadBytes: 1000,
  } as const;
  return app.route("/", createPageRoutes({ assets, ...page, ...options }));
}

beforeAll(() => {
  app = createPages();
});

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await app.request(path, { headers });
  return { response, html: await response.text() };
};

const pages = [
  "/",
  "/reset-password/abc-123",
  "/stop-email-change/abc-123",
  "/his",
  "/his/subscription",
  "/nowhere",
  "/his/other",
];

describe("every page", () => {
  test.each(pages)("%s runs no script without the answer's nonce", async (path) => {
    const { response, html } = await get(path);
    const nonce = /'nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "")?.[1];
    expect(nonce).toBeString();
    const scripts = html.match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
    expect(html).not.toMatch(/\sstyle="|\son\w+="/);
  });

  test.each(pages)("%s has the product's name in its title, escaped, and is never cached", async (path) => {
    const { response, html } = await get(path);
    expect(html).toContain("Exames &quot;A&quot; &amp; &lt;script&gt;alert(1)&lt;/script&gt;</title>");
    expect(html).not.toContain("<script>alert");
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["/reset-password/abc-123", "Nova senha", "New password"],
    ["/stop-email-change/abc-123", "Impedir a troca de e-mail?", "Stop the change of e-mail?"],
    ["/invitation/abc-123", "Ver um exame", "See an exam"],
    ["/ver", "Ver um exame sem conta", "View an exam without an account"],
    ["/ajuda", "Ajuda", "Help"],
    ["/verificar", "Conferir um recibo", "Check a receipt"],
    ["/v/01890000", "Exames compartilhados", "Shared exams"],
    ["/r/01890000", "Entregar exames", "Deliver exams"],
    ["/nowhere", "Página não encontrada", "Page not found"],
  ])("%s says in its title what it is, in both languages", async (path, ...titles) => {
    for (const [at, language] of ["pt-BR", "en-US"].entries()) {
      const { html } = await get(path, { "accept-language": language });
      expect(html).toContain(`<title>${titles[at]} · Exames`);
      // The page itself knows the language that was chosen in it.
      for (const title of titles) expect(html).toContain(`"${title} · Exames`);
    }
  });

  test("has a nonce of its own at each request", async () => {
    const nonces = await Promise.all([get("/"), get("/")]);
    expect(new Set(nonces.map(({ html }) => /nonce="([^"]+)"/.exec(html)?.[1])).size).toBe(2);
  });
});

test.each(["/his", "/v/01890000"])("%s says where a viewer of an origin of its own answers", async (path) => {
  const viewerOrigin = "https://viewer.example";
  const elsewhere = await createPages({ viewerOrigin }).request(path);
  expect(await elsewhere.text()).toContain(`viewerOrigin&quot;:&quot;${viewerOrigin}`);
  expect((await get(path)).html).not.toContain("viewerOrigin");
});

describe("the entry page", () => {
  test("passes the island its props and is readable without scripts, in both languages", async () => {
    const { html } = await get("/");
    expect(html).toContain('data-island="auth"');
    expect(html).toContain("Entrar");
    expect(html).toContain("Log in");
    expect(html).toContain("© 2025");
  });

  test("says how many exams a trial allows, and nothing of them while that can't be read or there is no trial", async () => {
    const entry = async (options: Chosen) => await (await createPages(options).request("/")).text();
    const trialExams = "trialExams&quot;:2";
    expect(await entry({ readTrialExams: async () => 2 })).toContain(trialExams);
    expect(await entry({ readTrialExams: async () => undefined })).not.toContain("trialExams");
    expect(await entry({ readTrialExams: async () => 2, trialDays: 0 })).not.toContain("trialExams");
  });

  test("preloads what the island needs, and no part of /his", async () => {
    const { html } = await get("/");
    expect(html).toContain('<link rel="modulepreload" href="/assets/auth-1.js"');
    expect(html).not.toContain("/assets/his-1.js");
  });

  test("is painted before its scripts are fetched: all of them have a lower priority than style and font", async () => {
    const { html } = await get("/");
    const scripts = html.match(/<(link rel="modulepreload"|script type="module")[^>]*>/g) ?? [];
    expect(scripts.length).toBe(3);
    for (const script of scripts) expect(script).toContain('fetchpriority="low"');
    expect(html).toMatch(/<link rel="stylesheet" href="[^"]+"\/>/);
  });

  test.each(["reset-password", "stop-email-change", "invitation"])(
    "keeps the token of /%s inside the attribute it belongs to, and out of search engines",
    async (path) => {
      const { html } = await get(`/${path}/${encodeURIComponent('"><img src=x>')}`);
      expect(html).not.toContain("<img");
      expect(html).toContain("noindex");
    },
  );
});

/** Of a `meta` or `link` element, by a pair of its attributes. */
const attributeOf = (html: string, mark: string, attribute: string) =>
  new RegExp(`<(?:meta|link) [^>]*${mark}[^>]*\\s${attribute}="([^"]*)"`).exec(html)?.[1];

describe("a link to us", () => {
  test.each([
    [undefined, "Exames de imagem e laudos em um só lugar", "card-pt-BR-1.png", "pt_BR", "en_US"],
    ["en-US,en;q=0.9", "Imaging exams and reports in one place", "card-en-US-1.png", "en_US", "pt_BR"],
  ])(
    "asked for in %p is described in that language, with addresses of PUBLIC_URL",
    async (language, text, card, locale, other) => {
      for (const path of ["/", "/his"]) {
        const { response, html } = await get(path, language ? { "accept-language": language } : {});
        const property = (name: string) => attributeOf(html, `property="${name}"`, "content");
        expect(attributeOf(html, 'name="description"', "content")).toStartWith(text);
        expect(property("og:description")).toStartWith(text);
        expect(property("og:title")).toStartWith("Exames &quot;A&quot; &amp; &lt;script");
        expect(property("og:url")).toBe("https://exames.example/");
        expect(property("og:image")).toBe(`https://exames.example/assets/${card}`);
        expect(property("og:locale")).toBe(locale);
        expect(property("og:locale:alternate")).toBe(other);
        expect(attributeOf(html, 'name="twitter:card"', "content")).toBe("summary_large_image");
        expect(response.headers.get("vary")).toContain("Accept-Language");
      }
    },
  );

  test("names the start page as canonical, and never contains a reset link", async () => {
    expect(attributeOf((await get("/")).html, 'rel="canonical"', "href")).toBe("https://exames.example/");
    const { html } = await get("/reset-password/abc-123");
    expect(html).not.toContain('rel="canonical"');
    expect(attributeOf(html, 'property="og:url"', "content")).toBe("https://exames.example/");
  });
});

describe("the marks", () => {
  test("are linked from every page: SVG, PNG, Apple's and the manifest, with the theme's colour", async () => {
    for (const path of pages) {
      const { html } = await get(path);
      expect(html).toContain('href="/assets/icon-1.svg"');
      expect(html).toContain('href="/assets/mark-32-1.png"');
      expect(attributeOf(html, 'rel="apple-touch-icon"', "href")).toBe("/assets/mark-180-1.png");
      expect(attributeOf(html, 'rel="manifest"', "href")).toBe("/manifest.webmanifest");
      expect(attributeOf(html, 'name="theme-color"', "content")).toMatch(/^#[0-9a-f]{6}$/);
    }
  });

  test("the picture of the home page keeps its address at the root with every build", async () => {
    const { response, html } = await get("/imagestorage.png");
    expect([response.status, html]).toEqual([200, "films"]);
    expect(response.headers.get("cache-control")).toBe("no-cache");
  });

  test("the manifest names the product, its colours and its icons, in the language asked for", async () => {
    const { response, html } = await get("/manifest.webmanifest", { "accept-language": "en-US" });
    expect(response.headers.get("content-type")).toBe("application/manifest+json; charset=utf-8");
    expect(JSON.parse(html)).toMatchObject({
      name: HOSTILE_NAME,
      lang: "en-US",
      start_url: "/his",
      display: "standalone",
      theme_color: "#080c0e",
      share_target: { action: "/ver", method: "POST", enctype: "multipart/form-data" },
      icons: [
        { src: "/assets/mark-192-1.png", sizes: "192x192", type: "image/png" },
        { src: "/assets/mark-512-1.png", sizes: "512x512" },
        { src: "/assets/mark-maskable-512-1.png", purpose: "maskable" },
      ],
    });
    expect(JSON.parse((await get("/manifest.webmanifest")).html).lang).toBe("pt-BR");
  });
});

test("says to the client who confirms that a Pix came in, or that nobody can pay", async () => {
  expect((await get("/his")).html).toContain("&quot;pix&quot;:&quot;none&quot;");
});

describe("an address that has no page", () => {
  test("answers 404 with the not-found page, which loads no client", async () => {
    const { response, html } = await get("/nowhere");
    expect(response.status).toBe(404);
    expect(html).toContain("404 Page Not Found");
    expect(html).toContain("Não há nada neste endereço.");
    expect(html).toContain("Ir para a página inicial");
    expect(html).toContain("Did you forget to add the page to the router?");
    expect(html).not.toContain(graph.entry);
  });

  test.each(["/api/nothing", "/assets/nothing.js", "/dicomweb/nothing"])(
    "answers a problem, not a page: %s",
    async (path) => {
      const { response } = await get(path);
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toStartWith("application/problem+json");
    },
  );
});

test("an asset may be cached permanently under its hashed name", async () => {
  const { response, html } = await get("/assets/boot-1.js");
  expect(html).toBe("boot()");
  expect(response.headers.get("cache-control")).toContain("immutable");
});
