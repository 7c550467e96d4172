import { type Context, Hono } from "hono";
import type { DicomwebCatalogue } from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import type { SeriesUIDs } from "../../../src/server/features/dicomweb/dicomweb.repo.ts";
import { createDicomwebRoutes } from "../../../src/server/features/dicomweb/dicomweb.routes.ts";
import type { DicomwebAccess } from "../../../src/server/features/dicomweb/dicomweb-access.ts";
import { shareWithSandbox } from "../../../src/server/features/viewer/share-with-sandbox.ts";
import { AppError } from "../../../src/server/http/app-error.ts";
import { systemElapsedMs } from "../../../src/server/runtime/clock.ts";

/** DICOMweb alone, as `app.ts` mounts it for tokens, with failures as bare problems. */
export function dicomwebApp(
  resolve: (c: Context, series?: SeriesUIDs) => DicomwebCatalogue,
  access: Pick<DicomwebAccess, "decoding"> = {},
) {
  return new Hono()
    .onError((error, c) => {
      if (!(error instanceof AppError)) throw error;
      return c.json({ code: error.kind.code }, error.kind.status);
    })
    .use("/dicomweb/t/*", shareWithSandbox())
    .route(
      "/dicomweb/t/:token",
      createDicomwebRoutes({
        resolve: async (c, series) => resolve(c, series),
        allowRetrieval: async () => {},
        assertStillVisible: async () => {},
        elapsedMs: systemElapsedMs,
        document: {
          room: "Viewer",
          retrievals: "",
        },
        hasSearch: true,
        ...access,
      }),
    );
}
