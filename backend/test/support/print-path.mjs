/** Prints PATH of child processes when the process ends. */
process.on('exit', () => process.stdout.write(`${process.env.PATH}\n`));
