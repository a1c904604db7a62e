/** The transcript's entry for anywidget; see `connect.tsx` for what both share. */
import { connected } from "../connect";
import { Transcript } from "../view/transcript";
import "../styles/transcript.css";

export default connected(() => <Transcript />);
