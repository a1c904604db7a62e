/**
 * Finds bare web addresses. It stands in for linkify-it in the bundle (see
 * build.mjs): 1 KB instead of 20, and only http and https.
 */
export interface Match {
  readonly index: number;
  readonly lastIndex: number;
  readonly raw: string;
  readonly text: string;
  readonly url: string;
  readonly schema: string;
}

const ADDRESS = /https?:\/\/[^\s<>"'`\\^{|}\p{Cc}]+/giu;
const TRAILING = /[.,;:!?*_~]+$/;

/** The address without punctuation that belongs to the sentence around it. */
function trim(raw: string): string {
  let url = raw.replace(TRAILING, "");
  for (const [open, shut] of ["()", "[]"].map((pair) => [...pair] as [string, string]))
    while (url.endsWith(shut) && count(url, shut) > count(url, open))
      url = url.slice(0, -1).replace(TRAILING, "");
  return url;
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

function toMatch(found: RegExpMatchArray): Match {
  const url = trim(found[0]);
  const index = found.index ?? 0;
  return {
    index,
    lastIndex: index + url.length,
    raw: url,
    text: url,
    url,
    schema: url.slice(0, url.indexOf(":") + 1).toLowerCase(),
  };
}

export class LinkifyIt {
  set(): this {
    return this;
  }

  test(text: string): boolean {
    return text.includes("://");
  }

  match(text: string): Match[] {
    return [...text.matchAll(ADDRESS)]
      .map(toMatch)
      .filter((match) => match.url.length > match.schema.length + 2);
  }

  matchAtStart(text: string): Match | null {
    const first = this.match(text)[0];
    return first?.index === 0 ? first : null;
  }
}

export default LinkifyIt;
