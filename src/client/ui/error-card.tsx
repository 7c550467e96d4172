import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CircleAlertIcon } from "./entry-icons.tsx";

interface ErrorCardProps {
  /** What failed. */
  title: ReactNode;
  /** What is safe, and the code to quote. */
  children: ReactNode;
  /** The one way on. */
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
