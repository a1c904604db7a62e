/** A button that copies, and says whether it worked: to the eye and to the ear. */
import { useState } from "preact/hooks";
import { copyText, NOT_COPIED } from "../markdown/leaves";
import { useView } from "./context";

interface Props {
  readonly text: string;
  readonly words: string;
  readonly title?: string;
}

export function CopyButton({ text, words, title }: Props) {
  const { voice } = useView();
  const [said, setSaid] = useState("");
  const copy = async (): Promise<void> => {
    const outcome = (await copyText(text)) ? "Copied" : NOT_COPIED;
    setSaid(outcome);
    voice.say(`${outcome}.`);
    setTimeout(() => setSaid(""), 1500);
  };
  return (
    <button
      type="button"
      class="aistream-quiet"
      title={title}
      onClick={() => void copy()}
    >
      {said || words}
    </button>
  );
}
