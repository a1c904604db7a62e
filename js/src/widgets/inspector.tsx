/** The inspector's entry for anywidget; see `connect.tsx` for what both share. */
import { connected } from "../connect";
import { Inspector } from "../inspector/inspector";
import "../styles/inspector.css";

export default connected(() => <Inspector />);
