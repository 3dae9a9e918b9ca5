/* profile.h: softlake profile, annotate and diff.
 *
 * Called by main() with the arguments from the subcommand's name on. One
 * thread. Each returns an exit status. */
#ifndef CLI_PROFILE_PROFILE_H
#define CLI_PROFILE_PROFILE_H

/* Runs a command, counts what its kernels execute, and writes reports. */
int cli_profile(int argc, char **argv);
/* Lists the kernels of a profile with the counts of their instructions. */
int cli_annotate(int argc, char **argv);
/* Compares two profiles, kernel by kernel. */
int cli_diff(int argc, char **argv);

#endif
