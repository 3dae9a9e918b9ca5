/* kernel.h: kernels without a driver: `softlake disasm` and `softlake eu-run`.
 *
 * Each subcommand is a main() of its own: argv[0] is its name, the result its
 * exit status. One thread. */
#ifndef CLI_KERNEL_KERNEL_H
#define CLI_KERNEL_KERNEL_H

int cli_disasm(int argc, char **argv);
int cli_eu_run(int argc, char **argv);

#endif
