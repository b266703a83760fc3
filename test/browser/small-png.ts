/** Makes a picture of a page small: at most 256 colours, one byte for each pixel. */
import { deflateSync, inflateSync } from "node:zlib"

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex")
const MOST_COLOURS = 256

/** `png` has eight bits for each of three or four channels, and is not interlaced: as Chromium makes it. */
export function smallPng(png: Buffer): Buffer {
  const parts = partsOf(png)
  const header = parts.find(({ type }) => type === "IHDR")?.data as Buffer
  const [width, height, channels] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9] === 6 ? 4 : 3]
  const data = inflateSync(Buffer.concat(parts.filter(({ type }) => type === "IDAT").map((it) => it.data)))
  const pixels = unfiltered(data, width, height, channels)
  const { palette, indices } = withPalette(pixels, channels)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) rows.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  const head = Buffer.from(header)
  head[8] = 8
  head[9] = 3 // a palette
  return Buffer.concat([
    SIGNATURE,
    part("IHDR", head),
    part("PLTE", palette),
    part("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    part("IEND", Buffer.alloc(0)),
  ])
}

interface Part {
  readonly type: string
  readonly data: Buffer
}

function partsOf(png: Buffer): Part[] {
  const parts: Part[] = []
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at)
    parts.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return parts
}

function part(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(checksum(body))
  return Buffer.concat([length, body, sum])
}

/** As PNG wants it, bit by bit. */
function checksum(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}

/** Takes back the filters of the rows: each byte is told by its difference to its neighbours. */
function unfiltered(data: Buffer, width: number, height: number, channels: number): Buffer {
  const stride = width * channels
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)]
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? (pixels[y * stride + x - channels] ?? 0) : 0
      const up = y > 0 ? (pixels[(y - 1) * stride + x] ?? 0) : 0
      const corner = x >= channels && y > 0 ? (pixels[(y - 1) * stride + x - channels] ?? 0) : 0
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0
      pixels[y * stride + x] = (data[y * (stride + 1) + 1 + x] ?? 0) + guess
    }
  }
  return pixels
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

/** The most frequent colours, and for each pixel the nearest of them. */
function withPalette(pixels: Buffer, channels: number): { palette: Buffer; indices: Uint8Array } {
  const counts = new Map<number, number>()
  const colours = new Uint32Array(pixels.length / channels)
  for (let at = 0; at < colours.length; at++) {
    // Six bits of each channel, so that hardly different colours are one.
    const [r = 0, g = 0, b = 0] = pixels.subarray(at * channels, at * channels + 3)
    const colour = ((r & 0xfc) << 16) | ((g & 0xfc) << 8) | (b & 0xfc)
    colours[at] = colour
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const used = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour)
  const chosen = used.slice(0, MOST_COLOURS)
  const indexOf = new Map(used.map((colour) => [colour, nearest(chosen, colour)]))
  const full = (byte: number): number => byte | (byte >> 6)
  return {
    palette: Buffer.from(chosen.flatMap((c) => [full((c >> 16) & 0xff), full((c >> 8) & 0xff), full(c & 0xff)])),
    indices: Uint8Array.from(colours, (colour) => indexOf.get(colour) ?? 0),
  }
}

function nearest(colours: readonly number[], wanted: number): number {
  let [best, least] = [0, Infinity]
  for (const [at, colour] of colours.entries()) {
    const distance = [16, 8, 0].reduce((sum, shift) => {
      const difference = ((colour >> shift) & 0xff) - ((wanted >> shift) & 0xff)
      return sum + difference * difference
    }, 0)
    if (distance < least) [best, least] = [at, distance]
  }
  return best
}
