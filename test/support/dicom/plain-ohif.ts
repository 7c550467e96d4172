import { join } from "node:path";

const DIST = join(import.meta.dir, "../../../node_modules/@ohif/app/dist");

/**
 * OHIF as its package has it, with a configuration that names one DICOMweb. As a clinic's web server does it, this one also passes
 * DICOMweb on and adds the access token, so that pages and images are of one origin.
 */
export function servePlainOhif(dicomweb: { origin: string; token: string }) {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (pathname.startsWith("/dicomweb/")) {
        const headers = new Headers(request.headers);
        headers.set("authorization", `Bearer ${dicomweb.token}`);
        return await fetch(`${dicomweb.origin}${pathname}${search}`, { headers, decompress: false });
      }
      if (pathname === "/app-config.js")
        return new Response(`window.config = ${JSON.stringify(CONFIG)};`, {
          headers: { "content-type": "text/javascript" },
        });
      const file = Bun.file(join(DIST, pathname));
      return new Response((await file.exists()) ? file : Bun.file(join(DIST, "index.html")));
    },
  });
}

const CONFIG = {
  routerBasename: null,
  extensions: [],
  modes: [],
  showStudyList: true,
  defaultDataSourceName: "dicomweb",
  dataSources: [
    {
      namespace: "@ohif/extension-default.dataSourcesModule.dicomweb",
      sourceName: "dicomweb",
      configuration: {
        friendlyName: "Exameteca",
        name: "exameteca",
        qidoRoot: "/dicomweb",
        wadoRoot: "/dicomweb",
        qidoSupportsIncludeField: true,
        imageRendering: "wadors",
        thumbnailRendering: "wadors",
        enableStudyLazyLoad: true,
        supportsFuzzyMatching: true,
        supportsWildcard: true,
      },
    },
  ],
};
