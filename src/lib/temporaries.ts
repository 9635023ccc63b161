/**
 * Recycles the memory of arrays that only one computation uses. Without recycling, two-word searches of a million jobs
 * take 0.48 ms instead of 0.25 ms. Three full garbage collections per second then take up to 54 ms each.
 */

type Numbers = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>

interface NumbersType<T extends Numbers> {
  new (memory: ArrayBuffer, from: number, length: number): T
  readonly BYTES_PER_ELEMENT: number
}

/** Recycled memory by size, which is a power of two. */
const free = new Map<number, ArrayBuffer[]>()
let freeBytes = 0
/** The memory that the current computation uses. Undefined outside `withTemporaries`. */
let lent: ArrayBuffer[] | undefined

/**
 * Minimum size of recycled arrays, in bytes. Creating a smaller array takes no longer than recycling one. A set of
 * 20,000 slots has 2,500 bytes, and recycling it takes half as long as creating it.
 */
const RECYCLED_MIN = 256
const FREE_BYTES_MAX = 32 * 1024 * 1024

/** Runs work that must not keep its temporary arrays, and then recycles them. */
export function withTemporaries<T>(work: () => T): T {
  const outer = lent
  const memories: ArrayBuffer[] = []
  lent = memories
  try {
    return work()
  } finally {
    lent = outer
    for (const memory of memories) recycle(memory)
  }
}

function recycle(memory: ArrayBuffer): void {
  if (freeBytes + memory.byteLength > FREE_BYTES_MAX) return
  freeBytes += memory.byteLength
  const same = free.get(memory.byteLength)
  if (same) same.push(memory)
  else free.set(memory.byteLength, [memory])
}

/**
 * Returns an array with arbitrary content, which the caller must overwrite. The array is valid until the end of
 * `withTemporaries`. Outside `withTemporaries`, returns a new array.
 */
export function temporary<T extends Numbers>(type: NumbersType<T>, length: number): T {
  const bytes = length * type.BYTES_PER_ELEMENT
  if (!lent || bytes < RECYCLED_MIN) return new type(new ArrayBuffer(bytes), 0, length)
  const size = 2 ** Math.ceil(Math.log2(bytes))
  let memory = free.get(size)?.pop()
  if (memory) freeBytes -= size
  else memory = new ArrayBuffer(size)
  lent.push(memory)
  return new type(memory, 0, length)
}
