import { type Context, Hono } from "hono";
import { firstImageFrameCall, firstImageMetadataCall } from "../../../shared/api/first-image.ts";
import type { Deps } from "../../deps.ts";
import { describeIn } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { archiveDamaged, notAcceptable } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { originOf } from "../../http/request-origin.ts";
import { createRecheck, whileAllowed } from "../../http/while-allowed.ts";
import { FRAME_MEDIA } from "../dicomweb/describe-dicomweb.ts";
import { recordReading } from "../studies/access/record-opening.ts";
import { studyAmbiguous, studyNotFound, studyNotReady } from "../studies/studies.errors.ts";
import { firstImageFrame, firstImageMetadata, type VisibleStudy } from "./first-image.ts";
import { openStudyForViewing } from "./viewer-token.ts";

const describe = describeIn("Viewer");
const viewing = { subscription: "viewing" } as const;
const problems = [studyNotFound, studyAmbiguous, studyNotReady, archiveDamaged];

/** The image that a viewer begins with, so that it can be on its way while the viewer's token is. */
export function createFirstImageRoutes(deps: Deps, guard: Guard) {
  const routes = new Hono<HttpEnv>();
  async function open(c: Context<HttpEnv>, reference: string): Promise<VisibleStudy> {
    const session = c.get("session");
    const visible = await openStudyForViewing(deps.db, session, reference);
    await recordReading(deps, session, visible.study, originOf(c));
    return visible;
  }

  routes.get(
    firstImageMetadataCall.path,
    guard(viewing),
    describe(firstImageMetadataCall, {
      summary: "Read the metadata of the image that a viewer begins with",
      details:
        "DICOM JSON: an array of one. It is the middle image of the largest series. Together with `GET /generate-token` it is one opening.",
      media: ["application/dicom+json"],
      also: { 204: "The study has no image with one frame to begin with." },
      problems,
    }),
    async (c) =>
      firstImageMetadata(deps, await open(c, c.req.param("study")), c.req.header("accept-encoding")),
  );

  routes.get(
    firstImageFrameCall.path,
    guard(viewing),
    describe(firstImageFrameCall, {
      summary: "Read the frame of the image that a viewer begins with",
      details:
        "As `/frames/1` of its instance, in the syntaxes that `Accept` names there; `Content-Location` says which instance it is.",
      media: FRAME_MEDIA,
      also: { 204: "The study has no image with one frame to begin with." },
      problems: [...problems, notAcceptable],
    }),
    async (c) => {
      const reference = c.req.param("study");
      const recheck = createRecheck(deps.elapsedMs, async () =>
        openStudyForViewing(deps.db, await c.get("readmit")(), reference),
      );
      return firstImageFrame(deps, await open(c, reference), {
        accept: c.req.header("accept"),
        base: "/dicomweb",
        whileVisible: (response) => whileAllowed(c, response, recheck),
      });
    },
  );

  return routes;
}
