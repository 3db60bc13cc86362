/** Reading what Milvus wrote; it needs the optional peer. */
export { type MilvusCopy, openMilvusCopy } from "./milvus-copy.js";
export { PageCheck } from "./milvus-pages.js";
export type { MilvusMessage, MilvusTopic } from "./milvus-rows.js";
