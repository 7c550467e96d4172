import { useLingui } from "@lingui/react/macro";
import { useAtom } from "jotai";
import { themeAtom } from "../../preferences.ts";
import { IconButton } from "../../ui/button.tsx";
import { MoonIcon, SunIcon } from "../../ui/entry-icons.tsx";

export function ThemeSwitch() {
  const { t } = useLingui();
  const [theme, setTheme] = useAtom(themeAtom);
  const isDark = theme === "dark";
  const label = isDark
    ? t({ id: "preferences.theme.light", message: "Switch to the light theme" })
    : t({ id: "preferences.theme.dark", message: "Switch to the dark theme" });
  return (
    <IconButton label={label} onClick={() => setTheme(isDark ? "light" : "dark")}>
      {isDark ? <SunIcon /> : <MoonIcon />}
    </IconButton>
  );
}
