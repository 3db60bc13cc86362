/**
 * What the channel service is asked for, looked at before anything happens.
 */
import { checkMethods, checkOptions, checkWhole, invalid, type KnownOptions } from "../../base/arguments.js";
import { TidemarkError } from "../../base/errors.js";
import { isWellFormed } from "../../base/well-formed.js";
import type { MetaStore } from "../meta-store.js";
import type { OwnerDescription } from "./channel-lot.js";
import type { ChannelStore } from "./channel-store.js";

/** What a channel service is opened with. */
export interface ChannelServiceOptions {
  /** Where it keeps which channels there are, and whose. One service at a time works on it. */
  meta: MetaStore;
  /** Where it makes them. */
  store: ChannelStore;
  /** Before the name of every channel made from now on. Default "channel". At most 200 bytes, without "/" and NUL. */
  namePrefix?: string | undefined;
}

/** A wish for new channels. */
export interface CreateChannelsRequest {
  readonly ownerDescription: OwnerDescription;
  /** From 1 to 10,000. */
  readonly numChannels: number;
}

/** Channels that somebody asks about. */
export interface ChannelsRequest {
  readonly channelNames: readonly string[];
}

const knownOptions: KnownOptions<keyof ChannelServiceOptions> = { meta: true, store: true, namePrefix: true };
const ownerFields = ["role", "address", "descriptionText"] as const;
/** With the rest of a name, and with what a back-end puts around it, within 255 bytes. */
const longestPrefix = 200;
const mostChannels = 10_000;
/** One text of an owner, in bytes. */
const longestText = 65_536;

/** @throws `invalid-argument` naming the option */
export function checkServiceOptions(options: ChannelServiceOptions): Required<ChannelServiceOptions> & { readonly namePrefix: string } {
  checkOptions(options, knownOptions);
  const { meta, store, namePrefix = "channel" } = options;
  checkMethods("meta", meta, ["get", "range", "txn"]);
  checkMethods("store", store, ["createChannel", "destroyChannel"]);
  checkText("namePrefix", namePrefix);
  const bytes = Buffer.byteLength(namePrefix);
  if (bytes === 0 || bytes > longestPrefix || /[/\0]/.test(namePrefix)) {
    throw invalid("namePrefix", `1 to ${longestPrefix} bytes without "/" and NUL`, namePrefix);
  }
  return { meta, store, namePrefix };
}

/** The request, copied. @throws `invalid-argument`, `too-large` */
export function checkCreate(request: CreateChannelsRequest): CreateChannelsRequest {
  checkOptions(request, { ownerDescription: true, numChannels: true }, "request");
  const { ownerDescription, numChannels } = request;
  checkWhole("numChannels", numChannels, 1, mostChannels);
  if (typeof ownerDescription !== "object" || ownerDescription === null) throw invalid("ownerDescription", "an object", ownerDescription);
  for (const field of ownerFields) checkOwnerText(`ownerDescription.${field}`, ownerDescription[field]);
  const { role, address, descriptionText } = ownerDescription;
  return { ownerDescription: { role, address, descriptionText }, numChannels };
}

/** The names, copied. @throws `invalid-argument` */
export function checkNames(request: ChannelsRequest): string[] {
  checkOptions(request, { channelNames: true }, "request");
  const names: unknown = request.channelNames;
  if (!Array.isArray(names)) throw invalid("channelNames", "an array of names", names);
  return names.map((name: unknown, at) => {
    checkText(`channelNames[${at}]`, name);
    return name;
  });
}

function checkOwnerText(argument: string, value: unknown): void {
  checkText(argument, value);
  const size = Buffer.byteLength(value);
  if (size <= longestText) return;
  throw new TidemarkError("too-large", `${argument} has ${size} bytes, and at most ${longestText} are kept`, { limit: longestText, size });
}

function checkText(argument: string, value: unknown): asserts value is string {
  if (typeof value !== "string") throw invalid(argument, "a text", value);
  if (!isWellFormed(value)) throw invalid(argument, "a text in well-formed Unicode (it has a lone surrogate)", value);
}
