/**
 * HTML that a tool gave back, shown because a person asked for it.
 *
 * The one fence is here: what remains has structure and nothing else. No scripts and
 * no styles, no forms, no names or ids, nothing that is loaded from anywhere; links
 * open outside.
 */
import DOMPurify from "dompurify";
import { isSafeImage } from "./parser";

const TAGS = [
  ..."a abbr b blockquote br caption cite code col colgroup dd del details dfn div".split(
    " ",
  ),
  ..."dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p".split(
    " ",
  ),
  ..."pre q s samp section small span strong sub summary sup table tbody td".split(" "),
  ..."tfoot th thead time tr u ul var".split(" "),
];
const ATTRIBUTES = [
  "href",
  "src",
  "alt",
  "title",
  "colspan",
  "rowspan",
  "scope",
  "dir",
];

/** What is left of the HTML. */
export function safePage(html: string): DocumentFragment {
  const page = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const image of page.querySelectorAll("img")) keepInline(image);
  for (const link of page.querySelectorAll("a")) leadOutside(link);
  return page;
}

/** An image that is in the text stays; another one would tell somebody of us. */
function keepInline(image: HTMLImageElement): void {
  const source = image.getAttribute("src") ?? "";
  if (source.startsWith("data:image/") && isSafeImage(source)) return;
  image.replaceWith(`[${image.getAttribute("alt") || "an image"}]`);
}

function leadOutside(link: HTMLAnchorElement): void {
  if (!/^https?:/i.test(link.getAttribute("href") ?? "")) link.removeAttribute("href");
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
}

const BEGIN =
  /^\s*<(?:!doctype html|html|body|table|div|p|h[1-6]|ul|ol|dl|section|article|figure|style|details|blockquote)[\s>]/i;

/** Whether a text is HTML and not one that only speaks of it. */
export function looksLikePage(text: string): boolean {
  return BEGIN.test(text) && /<\/[a-z0-9]+>\s*$/i.test(text);
}
