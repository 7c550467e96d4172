import { type Context, Hono, type MiddlewareHandler } from "hono";
import { frameCountOf } from "../../../shared/dicom/reading/frame-table.ts";
import type { ManifestInstance } from "../../archive/manifest.ts";
import type { Deps } from "../../deps.ts";
import { AppError, type ErrorKind } from "../../http/app-error.ts";
import { describeIn, type Room } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import {
  archiveDamaged,
  heldByAnotherNode,
  notAcceptable,
  notFound,
  validationFailed,
} from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { isKnownVersion } from "../../http/known-version.ts";
import { holding } from "../../http/stream-of.ts";
import { createRecheck, whileAllowed } from "../../http/while-allowed.ts";
import { continueFrom } from "../../runtime/continue-from.ts";
import { archiveHeaders } from "../dicomweb/answers/archive-headers.ts";
import { acceptOf, HTML, negotiateRendered, PDF, XML } from "../dicomweb/answers/media-types.ts";
import { multipartRelated } from "../dicomweb/answers/multipart-related.ts";
import { assertNames } from "../dicomweb/catalogue/catalogue-paths.ts";
import type { DicomwebCatalogue } from "../dicomweb/dicomweb.catalogue.ts";
import { notDrawable, tooManyReads } from "../dicomweb/dicomweb.errors.ts";
import { assertStillVisible, openingOf, openStudyAsSession } from "../dicomweb/open-as-session.ts";
import { BoundedTurns } from "../dicomweb/turns/bounded-turns.ts";
import { Places } from "../dicomweb/turns/places.ts";
import { placeOf } from "../dicomweb/turns/searcher.ts";
import { withPatience } from "../dicomweb/turns/with-patience.ts";
import { askedOfUriService } from "../dicomweb/uri-service.ts";
import { DRAWN_AS } from "../thumbnails/drawn-as.ts";
import { readPictureInput } from "../thumbnails/read-picture-input.ts";
import type { Drawing } from "../thumbnails/worker/picture-messages.ts";
import {
  assertStillViewed,
  type OtherTokens,
  openAsViewer,
  viewerParams,
  viewerProblems,
} from "../viewer/open-as-viewer.ts";
import { tooManyPictures } from "./exchange.errors.ts";
import { instanceOrMiddle, middleOfStudy } from "./named-or-middle.ts";
import { parseRendering } from "./parse-rendering.ts";
import { documentResponse, findDocument } from "./rendered-document.ts";
import { drawnParts, listPictures, type PicturePath } from "./rendered-parts.ts";
import { renderingWarnings } from "./rendering-warnings.ts";

/** Answers of several pictures, which are drawn one by one as the client takes them. */
const MAX_SEVERAL = 2;

/** Who may have pictures of what. */
interface RenderedAccess {
  room: Room;
  params?: Record<string, string>;
  /** Failures of the caller's credential, if it is in the path. */
  pathProblems?: readonly ErrorKind[];
  /** Runs before each route, if a guard resolves the caller. */
  guard?: MiddlewareHandler<HttpEnv>;
  /** @throws {AppError} if the caller has no access */
  open(c: Context<HttpEnv>): Promise<DicomwebCatalogue>;
  /** @throws {AppError} once the caller's access has ended */
  assertStillVisible(c: Context<HttpEnv>): Promise<void>;
}

/** Pictures of studies, series, instances and frames (PS3.18 §10.4.1.1.3 and §10.4.1.1.4), with one queue for all callers. */
export interface RenderedRoutes {
  /** For sessions and access tokens; mounted at `/dicomweb`. */
  forSessions(guard: Guard): Hono<HttpEnv>;
  /** For viewer tokens and visits; mounted at `/dicomweb/t/:token`. */
  forViewers(others: OtherTokens): Hono<HttpEnv>;
}

export function createRenderedRoutes(deps: Deps): RenderedRoutes {
  const waiting: Waiting = {
    one: new BoundedTurns(),
    several: new Places({ all: MAX_SEVERAL, own: 1 }),
  };
  return {
    forSessions: (guard) =>
      renderedRoutes(deps, waiting, {
        room: "DICOMweb",
        guard: guard({ subscription: "viewing", scope: "dicomweb:read" }),
        async open(c) {
          const session = c.get("session");
          const reference = c.req.param("study") ?? "";
          return await openStudyAsSession(deps, session, reference, openingOf(c));
        },
        assertStillVisible: (c) => assertStillVisible(deps, c),
      }),
    forViewers: (others) =>
      renderedRoutes(deps, waiting, {
        room: "Viewer",
        params: viewerParams,
        pathProblems: viewerProblems,
        open: (c) => openAsViewer(deps, others, c),
        assertStillVisible: (c) => assertStillViewed(deps, others, c),
      }),
  };
}

/** Those that PS3.18 table 8.7.4-1 requires of an image. */
const RENDERED_TYPES = ["image/jpeg", "image/png", "image/gif"];

const DRAWING = {
  accept: "Media types, in place of the header `Accept`.",
  window: "`center,width,function`: the function is `linear`, `linear-exact` or `sigmoid`.",
  viewport:
    "`width,height` of the picture, or these and `left,top,width,height` of the part of the image to show.",
  quality: "Of a JPEG, from 1 to 100.",
};
const NOT_DRAWN = {
  annotation: "`patient`, `technique`: no picture is annotated, and `Warning` says so.",
  iccprofile: "`no`; the others are not done, and `Warning` says so.",
};

const known = { 304: "It is as `If-None-Match` says." };
const rangesOfDocument = { 206: "A range of the document.", 416: "The document has no such range." };

function renderedRoutes(deps: Deps, waiting: Waiting, access: RenderedAccess): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const describe = describeIn(access.room);
  const front: MiddlewareHandler<HttpEnv> = access.guard ?? ((_c, next) => next());

  const render = (picture: "rendered" | "thumbnail") => async (c: Context<HttpEnv>) => {
    const rendering = askedRendering(c, picture);
    const catalogue = await access.open(c);
    assertNames(c.req.param());
    const whileVisible = (response: Response) =>
      whileAllowed(
        c,
        response,
        createRecheck(deps.elapsedMs, () => access.assertStillVisible(c)),
      );
    const document = picture === "rendered" ? await findDocument(catalogue, c.req.param()) : undefined;
    if (document) {
      const asked = {
        path: c.req.param(),
        accept: acceptOf(c),
        request: c.req.raw,
        locale: c.get("locale"),
      };
      const { searcher } = catalogue.searching;
      const read = () => documentResponse(catalogue, document, asked);
      return whileVisible(await waiting.one.run(searcher, c.req.raw.signal, read));
    }
    const { type, isMultipart } = negotiateRendered(acceptOf(c), {
      takesParts: picture === "rendered",
      listed: picture === "rendered" && (c.req.param("frames") ?? "").includes(","),
    });
    const warnings = picture === "rendered" ? renderingWarnings(askedParameters(c)) : [];
    const warned = (response: Response) => {
      for (const warning of warnings) response.headers.append("Warning", warning);
      return response;
    };
    const drawing = { type, ...rendering };
    if (isMultipart)
      return whileVisible(warned(await answerSeveral(deps, c, { catalogue, drawing, waiting })));
    const { instance, frameIndex } = await findFrame(catalogue, c.req.param());
    const headers = { ...archiveHeaders(`image/${type}`), "Content-Disposition": "inline", Vary: "Accept" };
    const etag = etagOf(instance, frameIndex ?? -1, drawing);
    if (isKnownVersion(c.req.header("if-none-match"), etag))
      return warned(new Response(null, { status: 304, headers: { ...headers, ETag: etag } }));
    const { signal } = c.req.raw;
    const drawn = () => draw(deps, { instance, frameIndex, drawing }, signal);
    const image = await waiting.one.run(catalogue.searching.searcher, signal, drawn);
    return warned(new Response(Uint8Array.from(image), { headers: { ...headers, ETag: etag } }));
  };

  const instance = "/series/:series/instances/:instance";
  const places = ["", "/series/:series", instance] as const;
  const frames = `${instance}/frames/:frames` as const;
  for (const picture of ["rendered", "thumbnail"] as const) {
    for (const place of [...places, frames]) {
      const isOfDocuments = picture === "rendered" && place === instance;
      routes.get(
        `/studies/:study${place}/${picture}`,
        front,
        describe(
          {},
          {
            params: access.params,
            asks: picture === "rendered" ? { ...DRAWING, ...NOT_DRAWN } : DRAWING,
            ...(access.pathProblems && { security: "none" as const }),
            summary: picture === "rendered" ? "Draw an image (WADO-RS)" : "Draw a small image (WADO-RS)",
            details:
              'Takes `window=center,width,function`, `viewport=width,height` or `viewport=width,height,left,top,width,height`, `quality` and `accept`. Of a series, its middle image; of a study, that of its largest series that has one; of an instance, its middle frame. `rendered` for `Accept: multipart/related; type="image/jpeg"` has all of them: a picture of each image, or of each frame. A list of frames comes so for `Accept: */*`, too. `rendered` of an Encapsulated PDF or CDA is the PDF or the XML, or a range of it; of a structured report it is a page of HTML.',
            media: [
              ...RENDERED_TYPES,
              ...(picture === "rendered" ? ["multipart/related"] : []),
              ...(isOfDocuments ? [PDF, XML, HTML] : []),
            ],
            also: isOfDocuments ? { ...known, ...rangesOfDocument } : known,
            problems: [
              ...(access.pathProblems ?? []),
              validationFailed,
              notFound,
              notAcceptable,
              notDrawable,
              tooManyReads,
              archiveDamaged,
              heldByAnotherNode,
              ...(picture === "rendered" ? [tooManyPictures] : []),
            ],
          },
        ),
        render(picture),
      );
    }
  }
  return routes;
}

/** How the picture is to be drawn. @throws {AppError} 400 */
function askedRendering(c: Context, picture: "rendered" | "thumbnail"): Omit<Drawing, "type"> {
  const region = askedOfUriService(c)?.region;
  const rendering = parseRendering(askedParameters(c), picture);
  return region ? { ...rendering, region: { ...region, isFraction: true } } : rendering;
}

function askedParameters(c: Context): URLSearchParams {
  const asked = askedOfUriService(c);
  return asked ? new URLSearchParams(asked.parameters) : new URL(c.req.url).searchParams;
}

/** The pictures that callers wait for, by caller. */
interface Waiting {
  one: BoundedTurns;
  several: Places;
}

/** All pictures of a place; the first one that can be drawn is drawn before the answer begins. */
async function answerSeveral(
  deps: Deps,
  c: Context<HttpEnv>,
  asked: { catalogue: DicomwebCatalogue; drawing: Drawing; waiting: Waiting },
): Promise<Response> {
  const { catalogue, drawing, waiting } = asked;
  const path = c.req.param();
  const { signal } = c.req.raw;
  const place = waiting.several.take(...placeOf(catalogue.searching.searcher));
  // While the first one is drawn, nothing reads the answer that could be cancelled or broken off.
  signal.addEventListener("abort", () => place[Symbol.dispose](), { once: true });
  const seeking = new AbortController();
  place.beginSending((reason) => {
    place[Symbol.dispose]();
    seeking.abort(reason);
  });
  const [below = ""] = c.req.path.split("/series/");
  const contentType = `image/${drawing.type}`;
  const parts = drawnParts(
    listPictures(catalogue, path),
    { contentType, below: below.replace(/\/rendered$/, "") },
    (picture) => {
      seeking.signal.throwIfAborted();
      return draw(deps, { ...picture, drawing }, AbortSignal.any([signal, seeking.signal]));
    },
  );
  try {
    const first = await parts.next();
    if (first.done) throw new AppError(notDrawable);
    const all = multipartRelated(contentType, continueFrom(first, parts));
    const headers = { ...archiveHeaders(all.contentType), Vary: "Accept" };
    if (c.req.method === "HEAD") {
      place[Symbol.dispose]();
      return new Response(null, { headers });
    }
    return new Response(holding(place, all.body), { headers });
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

interface FramePlace {
  instance: ManifestInstance;
  /** Undefined for the middle one. */
  frameIndex: number | undefined;
}

/** @throws {AppError} 404 if nothing there has pixels */
async function findFrame(catalogue: DicomwebCatalogue, path: PicturePath): Promise<FramePlace> {
  const { study = "", instance: sopInstanceUID, frames } = path;
  const instance =
    path.series === undefined
      ? await middleOfStudy(catalogue, study)
      : await instanceOrMiddle(catalogue, { study, series: path.series, sopInstanceUID });
  const frameNumber = frames === undefined ? 1 : Number(/^\d{1,9}$/.test(frames) ? frames : 0);
  const frameCount = instance ? frameCountOf(instance.frames) : 0;
  if (!instance || frameNumber < 1 || frameNumber > frameCount) throw new AppError(notFound);
  return { instance, frameIndex: frames === undefined ? undefined : frameNumber - 1 };
}

function etagOf({ volumeId, dataOffset }: ManifestInstance, frameIndex: number, drawing: Drawing): string {
  const text = JSON.stringify([DRAWN_AS, volumeId, dataOffset, frameIndex, drawing]);
  return `"${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32)}"`;
}

async function draw(
  deps: Pick<Deps, "series" | "scratch" | "pictures">,
  { instance, frameIndex, drawing }: FramePlace & { drawing: Drawing },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const frame = await readPictureInput(deps, instance, frameIndex);
  if (frame === "too_large") throw new AppError(notDrawable);
  await using held = frame;
  const request = { ...held.request, drawing };
  const picture = await withPatience(signal, (limit) => deps.pictures.make(request, limit));
  if (!picture.ok) throw new AppError(notDrawable, { detail: picture.detail });
  return picture.image;
}
