export { RocksMqBackend, rocksMqManifest } from "./rocksmq-backend.js";
