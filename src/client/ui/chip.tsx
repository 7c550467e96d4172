/** A modality's code. The hue stands for the physics, the letters for the modality. */
export function ModalityChip({ modality }: { modality: string }) {
  return (
    <span className="chip" data-mod={modality}>
      {modality}
    </span>
  );
}
