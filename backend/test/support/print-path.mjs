/** Prints the PATH that the programs of this process would be looked for in, when it ends. */
process.on('exit', () => process.stdout.write(`${process.env.PATH}\n`));
