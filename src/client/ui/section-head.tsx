import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { PlusIcon } from "./icons.tsx";

interface SectionHeadProps {
  /** Of the heading, for the section's name. */
  id: string;
  title: ReactNode;
  lead: ReactNode;
  /** What adds to the section; left out where nothing can be added. */
  add?: { label: ReactNode; run: () => void } | undefined;
}

/** Above the rows of a section: what they are, and the way to another one. */
export function SectionHead({ id, title, lead, add }: SectionHeadProps) {
  return (
    <div className="section-head">
      <div>
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        <p>{lead}</p>
      </div>
      {add && (
        <Button onClick={add.run}>
          <PlusIcon small />
          {add.label}
        </Button>
      )}
    </div>
  );
}
