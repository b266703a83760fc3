/** A module that ends the thread that loads it. */
process.exit(3)
