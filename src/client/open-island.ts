type Open = (place: HTMLElement) => Promise<void>;

let open: Open | undefined;

/** Called by the page's entry, which knows the islands. */
export function provideIslands(given: Open): void {
  open = given;
}

/** Shows an island in the place of the whole page. */
export async function openIsland(place: HTMLElement): Promise<void> {
  await open?.(place);
}
