import type { RequestServer } from "./server-of.ts";

interface App {
  fetch(request: Request, env: { server: RequestServer }): Response | Promise<Response>;
}

/**
 * What the runtime calls for each request. It gives a request without Host, which HTTP/1.0 allows and load balancers send to ask for
 * health, a path for its address: that is completed with PUBLIC_URL's origin (RFC 9112 §3.3). A Host that is none is 400 (§3.2). It
 * closes a connection if its client asks for that, but its answer does not say so (§9.6): some clients would use the connection again.
 */
export function answerRequests({ fetch }: App, publicUrl: string) {
  const { origin } = new URL(publicUrl);
  const answer = (request: Request, server: RequestServer): Response | Promise<Response> => {
    if (URL.canParse(request.url)) return fetch(request, { server });
    const address = origin + request.url;
    if (request.headers.get("host") || !URL.canParse(address)) return new Response(null, { status: 400 });
    // The runtime knows its own requests only.
    const own: RequestServer = {
      requestIP: () => server.requestIP(request),
      timeout: (_request, seconds) => server.timeout(request, seconds),
    };
    // Made of the request itself, it would keep all of a long body in memory.
    const { method, headers, body, signal } = request;
    return fetch(new Request(address, { method, headers, body, signal }), { server: own });
  };
  return (request: Request, server: RequestServer): Response | Promise<Response> => {
    const response = answer(request, server);
    return endsConnection(request) ? closing(response) : response;
  };
}

function endsConnection({ headers }: Request): boolean {
  const options = headers.get("connection")?.split(",") ?? [];
  return options.some((option) => option.trim().toLowerCase() === "close");
}

async function closing(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set("Connection", "close");
  return response;
}
