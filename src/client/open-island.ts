type Open = (place: HTMLElement, address: string) => Promise<void>;

let open: Open | undefined;

/** Called by the page's entry, which knows the islands. */
export function provideIslands(given: Open): void {
  open = given;
}

/** Shows an island in the place of the whole page, with its address. While its code cannot be loaded, the page stays as it is. */
export async function openIsland(place: HTMLElement, address: string): Promise<void> {
  await open?.(place, address);
}
