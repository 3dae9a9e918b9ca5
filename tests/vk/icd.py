"""Which of the installed Vulkan drivers the loader sees."""
import glob

FOLDERS = ('/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d',
           '/usr/local/share/vulkan/icd.d')


def only(driver):
    """Environment in which the loader sees this driver alone: intel (anv),
    intel_hasvk, lvp (lavapipe). Empty if it is not installed."""
    found = sorted(path for folder in FOLDERS for path in
                   glob.glob('%s/%s_icd*.json' % (folder, driver)))
    files = ':'.join(found)
    # Loaders before 1.3.207 know the first name alone.
    return {'VK_ICD_FILENAMES': files, 'VK_DRIVER_FILES': files} if files \
        else {}
