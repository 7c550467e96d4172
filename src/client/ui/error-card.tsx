import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CircleAlertIcon } from "./entry-icons.tsx";

interface ErrorCardProps {
  /** Names the failure. */
  title: ReactNode;
  /** Says which data are safe, and the code to quote. */
  children: ReactNode;
  /** The one action that the card offers. */
  action?: { label: ReactNode; run: () => void };
}

export function ErrorCard({ title, children, action }: ErrorCardProps) {
  return (
    <section className="error-card" role="alert">
      <CircleAlertIcon />
      <div className="min-w-0 flex-1">
        <h2>{title}</h2>
        <p>{children}</p>
      </div>
      {action && <Button onClick={action.run}>{action.label}</Button>}
    </section>
  );
}
