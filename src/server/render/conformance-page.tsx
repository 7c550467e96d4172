/** @jsxImportSource hono/jsx */
import { marked } from "./api-docs-page.tsx";

export interface ConformanceSection {
  id: string;
  title: string;
  text?: string;
  columns: string[];
  rows: string[][];
}

interface ConformanceProps {
  productName: string;
  sections: ConformanceSection[];
}

/** The DICOM conformance statement. */
export function ConformancePage({ productName, sections }: ConformanceProps) {
  return (
    <main class="docs" lang="en-US">
      <header>
        <a href="/">{productName}</a>
        <h1>DICOM conformance statement</h1>
        <p>
          {marked(
            "This page is made from the code that runs here. The calls themselves are in the API's document.",
          )}
        </p>
        <p>
          <a href="/api/docs">/api/docs</a>
        </p>
        <nav aria-label="Parts of the statement">
          <ul>
            {sections.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      {sections.map(({ id, title, text, columns, rows }) => (
        <section key={id} id={id}>
          <h2>{title}</h2>
          {text && <p>{marked(text)}</p>}
          <section class="scroll" tabindex={0} aria-label={title}>
            <table>
              <thead>
                <tr>
                  {columns.map((column) => (
                    <th key={column} scope="col">
                      {column}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((cells) => (
                  <tr key={cells.join()}>
                    {cells.map((cell, i) => (
                      <td key={columns[i]}>{marked(cell)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </section>
      ))}
    </main>
  );
}
