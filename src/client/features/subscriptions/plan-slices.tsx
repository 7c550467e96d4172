const WIDTH = 96;
const SLICE_WIDTH = 2;
const MOST_SLICES = 32;

/** Number of slices that represent a plan: 3 for 10 exams, 26 for 1,000. Slices of larger plans are packed closer. */
function sliceCount(examLimit: number): number {
  return Math.min(MOST_SLICES, Math.max(2, Math.round(1.18 * examLimit ** 0.45)));
}

/** The plan as a stack of slices seen from the side. */
export function PlanSlices({ examLimit }: { examLimit: number }) {
  const count = sliceCount(examLimit);
  const last = count - 1;
  return (
    <svg className="plan-slices" viewBox={`0 0 ${WIDTH} 44`} aria-hidden="true">
      {Array.from({ length: count }, (_, slice) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a slice is its place
          key={slice}
          x={(slice * (WIDTH - SLICE_WIDTH)) / last}
          y="6"
          width={SLICE_WIDTH}
          height="32"
          fill="currentColor"
          opacity={0.35 + (0.65 * slice) / last}
        />
      ))}
    </svg>
  );
}
