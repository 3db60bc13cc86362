export { openSegmentEngine } from "./segment-engine.js";
