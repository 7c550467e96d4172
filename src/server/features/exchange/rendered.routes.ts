import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { ManifestInstance } from "../../archive/manifest.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/app-error.ts";
import { describeIn, type Room } from "../../http/describe.ts";
import type { Guard } from "../../http/guard.ts";
import { archiveDamaged, heldByAnotherNode, notAcceptable, notFound } from "../../http/http.errors.ts";
import type { HttpEnv } from "../../http/http-context.ts";
import { archiveHeaders } from "../dicomweb/archive-headers.ts";
import type { DicomwebCatalogue } from "../dicomweb/dicomweb.catalogue.ts";
import { notDrawable, tooManyReads } from "../dicomweb/dicomweb.errors.ts";
import { findInstance } from "../dicomweb/find-instance.ts";
import { negotiateRendered } from "../dicomweb/media-types.ts";
import { openStudyAsSession } from "../dicomweb/open-as-session.ts";
import { middleInstance, readMiddleFrame } from "../thumbnails/read-middle-frame.ts";
import type { Drawing } from "../thumbnails/worker/picture-messages.ts";
import { type OtherTokens, openAsViewer, viewerParams } from "../viewer/open-as-viewer.ts";
import { parseRendering } from "./parse-rendering.ts";

const UID = /^[0-9.]{1,64}$/;
/** Frames that are held for the process that draws, a few megabytes each. */
const MAX_WAITING = 6;
const MAX_WAITING_A_CALLER = 3;
/** The time limit, including the wait for others. */
const MAX_WAIT_MS = 30_000;

/** Who may have pictures of what. */
interface RenderedAccess {
  room: Room;
  params?: Record<string, string>;
  /** Runs before each route, if a guard resolves the caller. */
  guard?: MiddlewareHandler<HttpEnv>;
  /** @throws {AppError} if the caller has no access */
  open(c: Context<HttpEnv>): Promise<{ catalogue: DicomwebCatalogue; readerId: string }>;
}

/** Pictures of studies, series, instances and frames (PS3.18 §10.4.1.1.3 and §10.4.1.1.4), with one queue for all callers. */
export interface RenderedRoutes {
  /** For sessions and access tokens; mounted at `/dicomweb`. */
  forSessions(guard: Guard): Hono<HttpEnv>;
  /** For viewer tokens and visits; mounted at `/dicomweb/t/:token`. */
  forViewers(others: OtherTokens): Hono<HttpEnv>;
}

export function createRenderedRoutes(deps: Deps): RenderedRoutes {
  const waiting = new Map<string, number>();
  return {
    forSessions: (guard) =>
      renderedRoutes(deps, waiting, {
        room: "DICOMweb",
        guard: guard({ subscription: "viewing", scope: "dicomweb:read" }),
        async open(c) {
          const session = c.get("session");
          const catalogue = await openStudyAsSession(deps, session, c.req.param("study") ?? "");
          return { catalogue, readerId: session.userId };
        },
      }),
    forViewers: (others) =>
      renderedRoutes(deps, waiting, {
        room: "Viewer",
        params: viewerParams,
        open: (c) => openAsViewer(deps, others, c),
      }),
  };
}

function renderedRoutes(deps: Deps, waiting: Map<string, number>, access: RenderedAccess): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const describe = describeIn(access.room);
  const front: MiddlewareHandler<HttpEnv> = access.guard ?? ((_c, next) => next());

  const render = (picture: "rendered" | "thumbnail") => async (c: Context<HttpEnv>) => {
    const parameters = new URL(c.req.url).searchParams;
    const type = negotiateRendered(parameters.get("accept") ?? c.req.header("accept"));
    const drawing = { type, ...parseRendering(parameters, picture) };
    const { catalogue, readerId } = await access.open(c);
    const { instance, frameIndex } = await findFrame(catalogue, c.req.param());
    const headers = { ...archiveHeaders(`image/${type}`), "Content-Disposition": "inline", Vary: "Accept" };
    const etag = etagOf(instance, frameIndex, drawing);
    if (c.req.header("if-none-match") === etag)
      return new Response(null, { status: 304, headers: { ...headers, ETag: etag } });
    using _ = take(waiting, readerId);
    const image = await draw(deps, { instance, frameIndex, drawing }, c.req.raw.signal);
    return new Response(Uint8Array.from(image), { headers: { ...headers, ETag: etag } });
  };

  const places = ["", "/series/:series", "/series/:series/instances/:instance"] as const;
  const frames = "/series/:series/instances/:instance/frames/:frames";
  for (const picture of ["rendered", "thumbnail"] as const) {
    for (const place of [...places, frames]) {
      routes.get(
        `/studies/:study${place}/${picture}`,
        front,
        describe(
          {},
          {
            params: access.params,
            summary: picture === "rendered" ? "Draw an image (WADO-RS)" : "Draw a small image (WADO-RS)",
            details:
              "Takes `window=center,width,function`, `viewport=width,height`, `quality` and `accept`. Of a study or a series, its middle image; of an instance, its middle frame.",
            media: ["image/jpeg", "image/png"],
            also: { 304: "It is as `If-None-Match` says." },
            problems: [notFound, notAcceptable, notDrawable, tooManyReads, archiveDamaged, heldByAnotherNode],
          },
        ),
        render(picture),
      );
    }
  }
  return routes;
}

interface FramePlace {
  instance: ManifestInstance;
  /** Undefined for the middle one. */
  frameIndex: number | undefined;
}

/** @throws {AppError} 404 if nothing there has pixels */
async function findFrame(
  catalogue: DicomwebCatalogue,
  path: { study?: string; series?: string; instance?: string; frames?: string },
): Promise<FramePlace> {
  const { study = "", instance: sopInstanceUID, frames } = path;
  const uids = [path.series, sopInstanceUID].filter((uid) => uid !== undefined);
  if (uids.some((uid) => !UID.test(uid))) throw new AppError(notFound);
  const series = path.series ?? (await largestSeries(catalogue, study));
  const manifest = series && (await catalogue.manifest(study, series));
  if (!manifest) throw new AppError(notFound);
  const instance =
    sopInstanceUID === undefined ? middleInstance(manifest) : findInstance(manifest, sopInstanceUID);
  const frameNumber = frames === undefined ? 1 : Number(/^\d{1,9}$/.test(frames) ? frames : 0);
  const frameCount = !instance || instance.frames.kind === "none" ? 0 : instance.frames.frameCount;
  if (!instance || frameNumber < 1 || frameNumber > frameCount) throw new AppError(notFound);
  return { instance, frameIndex: frames === undefined ? undefined : frameNumber - 1 };
}

async function largestSeries(catalogue: DicomwebCatalogue, study: string): Promise<string | undefined> {
  const series = await catalogue.series(study);
  return series.toSorted((a, b) => b.instanceCount - a.instanceCount)[0]?.seriesInstanceUID;
}

function etagOf({ volumeId, dataOffset }: ManifestInstance, frameIndex = -1, drawing: Drawing): string {
  const text = JSON.stringify([volumeId, dataOffset, frameIndex, drawing]);
  return `"${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32)}"`;
}

async function draw(
  deps: Pick<Deps, "series" | "scratch" | "pictures">,
  { instance, frameIndex, drawing }: FramePlace & { drawing: Drawing },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const frame = await readMiddleFrame(deps, instance, frameIndex);
  if (frame === "too_large") throw new AppError(notDrawable);
  await using held = frame;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  const picture = await deps.pictures.make({ ...held.request, drawing }, limit).catch((cause) => {
    if (limit.aborted) throw new AppError(tooManyReads, { retryAfterSeconds: 5, cause });
    throw cause;
  });
  if (!picture.ok) throw new AppError(notDrawable, { detail: picture.detail });
  return picture.image;
}

/** A caller's place among the pictures that wait. @throws {AppError} 503 with Retry-After */
function take(waiting: Map<string, number>, callerId: string): Disposable {
  const all = [...waiting.values()].reduce((sum, count) => sum + count, 0);
  const own = waiting.get(callerId) ?? 0;
  if (all >= MAX_WAITING || own >= MAX_WAITING_A_CALLER)
    throw new AppError(tooManyReads, { retryAfterSeconds: 2 });
  waiting.set(callerId, own + 1);
  return {
    [Symbol.dispose]() {
      const left = (waiting.get(callerId) ?? 1) - 1;
      if (left > 0) waiting.set(callerId, left);
      else waiting.delete(callerId);
    },
  };
}
