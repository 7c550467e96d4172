const INTERVAL_MS = 1_000;
const GRAPH = "/assets/graph.json";

/** In development: reloads the page once the server has another build of the client. */
export async function reloadOnRebuild(): Promise<void> {
  const first = await currentBuild();
  setInterval(async () => {
    const build = await currentBuild();
    if (build && first && build !== first) window.location.reload();
  }, INTERVAL_MS);
}

/** Undefined while the server is restarting. */
async function currentBuild(): Promise<string | undefined> {
  try {
    const response = await fetch(GRAPH, { cache: "no-store" });
    return response.ok ? await response.text() : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
