interface AvatarProps {
  person: { name: string; profileImageUrl: string | null };
  className?: string;
}

/** A person's picture or initials. The name is shown beside it. */
export function Avatar({ person, className = "" }: AvatarProps) {
  const classes = `avatar ${className}`;
  if (person.profileImageUrl) return <img className={classes} src={person.profileImageUrl} alt="" />;
  return (
    <span className={classes} aria-hidden="true">
      {initials(person.name)}
    </span>
  );
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const picked = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return picked
    .map((word) => [...(word ?? "")][0] ?? "")
    .join("")
    .toUpperCase();
}
