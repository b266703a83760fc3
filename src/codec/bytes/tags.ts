/**
 * How values look as bytes. A value is a tag, one byte, and what follows it. Lengths, counts and indices are written
 * seven bits at a time, the lowest first; other numbers are little-endian, and not aligned.
 *
 * Objects that can be referred to are numbered in the order in which they were begun. Objects that are made from data
 * (instances, shared objects, attachments) are numbered in the order in which they were ended: before that there is no
 * object to refer to.
 */

/** 0 to 127, in the tag itself: this or'ed with the integer. */
export const SMALL_INT = 0x80

export const UNDEFINED_VALUE = 1
export const NULL_VALUE = 2
export const FALSE_VALUE = 3
export const TRUE_VALUE = 4
/** Four bytes. */
export const INT_VALUE = 5
/** Eight bytes. */
export const DOUBLE_VALUE = 6
/** Eight bytes. */
export const BIGINT_64 = 7
/** 1 if negative, then the digits as text, in hexadecimal. */
export const BIGINT_LONG = 8
/** How many characters, then a byte for each. */
export const LATIN1_TEXT = 9
/** How many characters, then two bytes for each. */
export const UTF16_TEXT = 10
/** The number of an object that came before. */
export const REFERENCE = 11

/** How many elements, then the elements. */
export const ARRAY = 12
/** In place of an element: the rest has holes. How many elements there are, then for each its index and itself. */
export const SPARSE = 13
/** A slot, two bytes with the length of the keys; how many keys, and the keys; then a value for each. */
export const OBJECT = 14
/** A slot: the object has the keys of the object that came last with this slot. Then a value for each. */
export const SIMILAR_OBJECT = 15
/** How many keys, then keys and values alternately. */
export const DICTIONARY = 16
/** In place of a value: the key was deleted while the object was being written. */
export const ABSENT = 17
/** How many entries, then keys and values alternately. */
export const MAP = 18
/** How many elements, then the elements. */
export const SET = 19
/** Milliseconds, as a double. */
export const DATE = 20
/** Source and flags, as texts. */
export const REGEXP = 21
/** The primitive value inside. */
export const BOXED = 22

/** How many bytes, then the bytes. */
export const BUFFER = 23
/** As BUFFER, after the maximum number of bytes, as a double. */
export const RESIZABLE_BUFFER = 24
/** A type of view; how many bytes, then the bytes. */
export const VIEW = 25
/** The number of an attachment. */
export const ATTACHMENT = 26
/** The number of an attachment, which is a buffer; a type of view; offset in bytes and length, as doubles. */
export const ATTACHED_VIEW = 27

/** See error-data.ts. */
export const ERROR = 28
/** The name of a registered class, as text, then its fields as for OBJECT. */
export const INSTANCE = 29
/** The name of a registered class, as text, then the value that its `encode` returned. */
export const CUSTOM_INSTANCE = 30
/** The name of a shared class of corepool, as text, then the number of the attachment that is its handle. */
export const SHARED_OBJECT = 31

/** As BUFFER, but the bytes are the next ones of those beside the encoded value (bulk.ts). */
export const FAR_BUFFER = 32
/** As VIEW, likewise. */
export const FAR_VIEW = 33

/** How many elements, a byte with the width of each, then the elements: see packed.ts. */
export const PACKED_ARRAY = 34

/**
 * The name of a part, as text; the object that it is a part of; the number of the attachment that is its handle plus
 * one, or 0.
 */
export const SHARED_PART = 35
/**
 * The name of a registered class, as text, the number of the attachment that is its handle; then its fields as for
 * OBJECT.
 */
export const SHARED_INSTANCE = 36

/** How many slots for lists of keys there are. */
export const SLOTS = 64
