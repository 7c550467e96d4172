/** A modality's code; the hue tells the physics, the letters tell the rest. */
export function ModalityChip({ modality }: { modality: string }) {
  return (
    <span className="chip" data-mod={modality}>
      {modality}
    </span>
  );
}
