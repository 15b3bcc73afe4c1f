// What a program sees of a preloaded library before its own first line: errno, threads, and which files are mapped.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  printf("errno %d\n", errno);

  int threads = 0;
  DIR* tasks = opendir("/proc/self/task");
  for (const struct dirent* entry; (entry = readdir(tasks)) != NULL;) threads += entry->d_name[0] != '.';
  closedir(tasks);
  printf("threads %d\n", threads);

  char line[4096], last[4096] = "";
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    const char* path = strchr(line, '/');
    if (path == NULL || strcmp(path, last) == 0) continue;
    strcpy(last, path);
    printf("maps %s", path);
  }
  fclose(maps);
  return 7;
}
