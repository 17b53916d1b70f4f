/** Prints the PATH that child processes get. */
process.on('exit', () => process.stdout.write(`${process.env.PATH}\n`));
