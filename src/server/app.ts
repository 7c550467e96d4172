import { Hono } from "hono";
import type { Deps } from "./deps.ts";
import { createPdfForms } from "./documents/receive-pdf.ts";
import { createAccessTokensRoutes } from "./features/accounts/access-tokens/access-tokens.routes.ts";
import { createFactorsRoutes } from "./features/accounts/factors/factors.routes.ts";
import { createDeliveriesRoutes } from "./features/deliveries/deliveries.routes.ts";
import { createDeliveryGate } from "./features/deliveries/delivery-gate.ts";
import { findDeliverySession } from "./features/deliveries/find-delivery-session.ts";
import { Decoding } from "./features/dicomweb/decoded/decoding.ts";
import { createStudyDicomwebRoutes } from "./features/dicomweb/study-dicomweb.routes.ts";
import { routedPath } from "./features/dicomweb/uri-service.ts";
import { createExchangeRoutes } from "./features/exchange/exchange.routes.ts";
import { createRenderedRoutes } from "./features/exchange/rendered.routes.ts";
import { createUriServiceRoutes } from "./features/exchange/uri-service.routes.ts";
import { createExportRoutes } from "./features/export/export.routes.ts";
import { createFhirRoutes } from "./features/fhir/fhir.routes.ts";
import { createIngestRoutes, createPlacesForUploads } from "./features/ingest/ingest.routes.ts";
import { createIntegrityRoutes } from "./features/integrity/integrity.routes.ts";
import { createLabsRoutes } from "./features/labs/labs.routes.ts";
import { createLinksRoutes } from "./features/links/links.routes.ts";
import { isVisitToken, resolveVisitScope } from "./features/links/visit-token.ts";
import { createVisitsRoutes } from "./features/links/visits.routes.ts";
import { answerMedia } from "./features/media/answer-media.ts";
import { createAuthRoutes } from "./features/membership/auth.routes.ts";
import { createCallers } from "./features/membership/callers.ts";
import { createConfirmEmailRoutes, createUsersRoutes } from "./features/membership/users.routes.ts";
import { createMetricsRoutes } from "./features/monitoring/metrics.routes.ts";
import { createOperationsRoutes } from "./features/monitoring/operations.routes.ts";
import { createNotificationsRoutes } from "./features/notifications/notifications.routes.ts";
import { createOverviewRoutes } from "./features/overview/overview.routes.ts";
import { createPaymentsRoutes } from "./features/payments/payments.routes.ts";
import { createReceiptsRoutes } from "./features/receipts/receipts.routes.ts";
import { createReceiversRoutes } from "./features/receivers/receivers.routes.ts";
import { createRemovalsRoutes } from "./features/removals/removals.routes.ts";
import { createReportsRoutes } from "./features/reports/reports.routes.ts";
import { createInvitationsRoutes } from "./features/studies/access/invitations.routes.ts";
import { createStudiesRoutes } from "./features/studies/studies.routes.ts";
import { createStudyListRoutes } from "./features/study-list/study-list.routes.ts";
import { createSubscriptionsRoutes } from "./features/subscriptions/subscriptions.routes.ts";
import { createTrialReading } from "./features/subscriptions/trial-exams.ts";
import { createSupportRoutes } from "./features/support/support.routes.ts";
import { createFrameDecoder } from "./features/thumbnails/create-frame-decoder.ts";
import { createThumbnailsRoutes } from "./features/thumbnails/thumbnails.routes.ts";
import { createFirstImageRoutes } from "./features/viewer/first-image.routes.ts";
import { shareWithSandbox } from "./features/viewer/share-with-sandbox.ts";
import { createViewerAssets } from "./features/viewer/viewer.assets.ts";
import { createViewerRoutes } from "./features/viewer/viewer.routes.ts";
import { createViewerDicomwebRoutes } from "./features/viewer/viewer-dicomweb.routes.ts";
import { separateOrigins } from "./features/viewer/viewer-origin.ts";
import { createViewerTokenRoutes } from "./features/viewer/viewer-token.routes.ts";
import { accessLog } from "./http/access-log.ts";
import { answerAfterLeases } from "./http/answer-after-leases.ts";
import { createGuard } from "./http/guard.ts";
import { createHealthRoutes } from "./http/health.routes.ts";
import { createHealthChecks } from "./http/health-checks.ts";
import type { HttpEnv } from "./http/http-context.ts";
import { refuseLongBodies } from "./http/json-body.ts";
import { createErrorHandler, notFoundHandler } from "./http/problem.ts";
import { requestContext } from "./http/request-context.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { tellTime } from "./http/tell-time.ts";
import { leaveLengthUnknown } from "./http/unknown-length.ts";
import { allowedMethods } from "./http/unmatched.ts";
import { boundUnreadBodies } from "./http/unread-bodies.ts";
import { createOpenapiRoutes } from "./openapi/openapi.routes.ts";
import type { AssetSource } from "./render/assets.ts";
import type { ClientGraph } from "./render/client-graph.ts";
import { createPageContext, createPageRoutes } from "./render/pages.ts";

/** The files that the build made: folders in development, inside the executable otherwise. */
export interface BuiltAssets {
  client: AssetSource;
  viewer: AssetSource;
}

/** What `run dev` uses instead of the built client. */
export interface Development {
  clientGraph(): Promise<ClientGraph>;
}

/** The order of the middleware, and where each room's routes are mounted. */
export function createApp(deps: Deps, assets: BuiltAssets, development?: Development) {
  const { config, log, meters } = deps;
  const { productName, publicUrl, viewerOrigin } = config;
  const app = new Hono<HttpEnv>({ getPath: routedPath });
  const pdfForms = createPdfForms(deps);
  const callers = createCallers(deps, (token) => findDeliverySession(deps, token));
  const guard = createGuard(callers.find);

  app.onError(createErrorHandler(log));
  app.notFound(notFoundHandler);
  app.use(
    requestContext({ trustProxy: config.trustProxy, allowedMethods: (path) => allowedMethods(app, path) }),
  );
  app.use(accessLog(log, meters.requests));
  app.use(leaveLengthUnknown());
  app.use(
    securityHeaders({
      https: publicUrl.startsWith("https:"),
      frameSource: viewerOrigin ?? "'self'",
      isDevelopment: development !== undefined,
    }),
  );
  app.use(tellTime(deps.clock));
  app.use(boundUnreadBodies({ senderOf: callers.senderOf }));
  app.use(separateOrigins({ publicUrl, viewerOrigin }));

  const checks = createHealthChecks(deps);
  app.route("/", createHealthRoutes(checks, guard));
  app.route("/", createMetricsRoutes(deps, guard, checks));
  const uploadSlots = createPlacesForUploads();
  app.route("/", createIngestRoutes({ ...deps, gate: createDeliveryGate(deps) }, guard, uploadSlots));
  app.route("/", createSupportRoutes(deps, guard));
  app.route("/", createReportsRoutes(deps, guard, pdfForms));
  app.route("/", createLabsRoutes(deps, guard, pdfForms));
  app.use("/api/*", refuseLongBodies());
  // Not before uploads: they are many, and only add.
  app.use("/api/*", answerAfterLeases());
  app.route("/", createAuthRoutes(deps, guard));
  app.route("/", createFactorsRoutes(deps, guard));
  app.route("/", createAccessTokensRoutes(deps, guard));
  app.route("/", createUsersRoutes(deps, guard));
  app.route(
    "/",
    createStudiesRoutes(deps, guard, (asked, file, right) =>
      answerMedia({ ...deps, assets: assets.client }, asked, file, right),
    ),
  );
  app.route("/", createInvitationsRoutes(deps, guard));
  app.route("/", createStudyListRoutes(deps, guard));
  app.route("/", createReceiptsRoutes(deps, guard));
  app.route("/", createThumbnailsRoutes(deps, guard));
  app.route("/", createLinksRoutes(deps, guard));
  app.route("/", createDeliveriesRoutes(deps, guard));
  app.route("/", createReceiversRoutes(deps, guard));
  app.route("/", createVisitsRoutes(deps, guard));
  app.route("/", createSubscriptionsRoutes(deps, guard));
  app.route("/", createPaymentsRoutes(deps, guard));
  app.route("/", createRemovalsRoutes(deps, guard));
  app.route("/", createOverviewRoutes(deps, guard));
  app.route("/", createNotificationsRoutes(deps, guard));
  app.route("/", createIntegrityRoutes(deps, guard));
  app.route("/", createExportRoutes({ ...deps, assets: assets.client }, guard));
  app.route("/", createOperationsRoutes(deps, guard));
  app.route("/", createConfirmEmailRoutes(deps, guard));
  app.route("/", createViewerTokenRoutes(deps, guard));
  app.route("/", createFirstImageRoutes(deps, guard));
  const visits = { owns: isVisitToken, resolve: resolveVisitScope };
  app.use("/dicomweb/t/*", shareWithSandbox());
  app.route("/dicomweb/t/:token", createViewerDicomwebRoutes(deps, visits));
  const rendered = createRenderedRoutes(deps);
  app.route("/dicomweb/t/:token", rendered.forViewers(visits));
  app.route("/dicomweb", createStudyDicomwebRoutes(deps, guard, new Decoding(createFrameDecoder(deps))));
  app.route("/dicomweb", createExchangeRoutes(deps, guard, uploadSlots));
  app.route("/dicomweb", rendered.forSessions(guard));
  app.route("/", createUriServiceRoutes(guard));
  app.route("/fhir", createFhirRoutes(deps, guard));
  app.route(
    "/viewer",
    createViewerRoutes(createViewerAssets({ source: assets.viewer, publicOrigin: publicUrl, viewerOrigin })),
  );
  const pages = {
    ...config,
    assets: assets.client,
    clientGraph: development?.clientGraph,
    readTrialExams: createTrialReading(deps),
  };
  app.route(
    "/",
    createOpenapiRoutes(
      {
        app,
        productName,
        publicUrl,
        maxUploadBytes: config.maxUploadBytes,
        pageContext: createPageContext(pages),
      },
      guard,
    ),
  );
  app.route("/", createPageRoutes(pages));
  return app;
}
