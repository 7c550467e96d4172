import "react";

/** A style may set the custom properties that the stylesheets read. */
declare module "react" {
  interface CSSProperties {
    [name: `--${string}`]: string | number;
  }
}
