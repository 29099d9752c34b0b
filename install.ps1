# Installs vectorcode for this user on Windows:
#
#   irm https://raw.githubusercontent.com/alejandro-technology/vectorcode/main/install.ps1 | iex
#
# VECTORCODE_VERSION      a release such as 0.2.0 (default: the newest)
# VECTORCODE_INSTALL_DIR  where the binary goes (default: %LOCALAPPDATA%\Programs\vectorcode)
# VECTORCODE_BASE_URL     a mirror with the layout of GitHub's releases
# VECTORCODE_RELEASES_KEY the public key of releases that the project did not sign, only together with VECTORCODE_BASE_URL
#
# The signature of the archive is verified with minisign if it is installed (`winget install jedisct1.minisign`). Windows
# itself cannot verify it: without minisign, only the checksum is compared, and a note says so.
#
# Works in Windows PowerShell 5.1 and in PowerShell 7.

function Get-ReleaseUrl {
    $base = 'https://github.com/alejandro-technology/vectorcode/releases'
    if ($env:VECTORCODE_BASE_URL) { $base = $env:VECTORCODE_BASE_URL.TrimEnd('/') }
    if ($env:VECTORCODE_VERSION) { return "$base/download/v$($env:VECTORCODE_VERSION.TrimStart('v'))" }
    "$base/latest/download"
}

# The second line of crates/vectorcode/minisign.pub; a test compares them.
$ReleaseKey = ''

# A key from the environment is used only together with a base URL, because the project's own releases have the project's key.
function Get-PublicKey {
    if ($env:VECTORCODE_BASE_URL -and $env:VECTORCODE_RELEASES_KEY) { return $env:VECTORCODE_RELEASES_KEY }
    if (-not $ReleaseKey) { throw 'this script has no release key, so a download cannot be verified; build it with cargo' }
    $ReleaseKey
}

function Get-ArchiveName {
    $machine = $env:PROCESSOR_ARCHITECTURE
    # In a 32-bit PowerShell on a 64-bit Windows, this variable has the architecture of the machine.
    if ($env:PROCESSOR_ARCHITEW6432) { $machine = $env:PROCESSOR_ARCHITEW6432 }
    # Windows on ARM runs the x86-64 binary.
    if ($machine -notin 'AMD64', 'ARM64') { throw "there is no release for $machine; build it with cargo" }
    'vectorcode-windows-x86_64.zip'
}

function Get-InstallDir {
    if ($env:VECTORCODE_INSTALL_DIR) { return $env:VECTORCODE_INSTALL_DIR }
    Join-Path $env:LOCALAPPDATA 'Programs\vectorcode'
}

# Compares the archive with the line of SHA256SUMS that names it.
function Assert-Checksum($Folder, $Archive) {
    $line = Get-Content (Join-Path $Folder 'SHA256SUMS') |
        Where-Object { ($_ -split '\s+', 2)[1] -in $Archive, "*$Archive" } | Select-Object -First 1
    if (-not $line) { throw "SHA256SUMS does not list $Archive" }
    $expected = ($line -split '\s+')[0]
    $found = (Get-FileHash -Algorithm SHA256 (Join-Path $Folder $Archive)).Hash
    if ($found -ne $expected) { throw "the checksum of $Archive is $found, but $expected was published" }
}

function Assert-Signature($Folder, $Archive, $Key) {
    $file = Join-Path $Folder $Archive
    if (-not (Get-Command minisign -ErrorAction SilentlyContinue)) {
        Write-Host 'note: minisign is not installed, so only the checksum was compared'
    } else {
        & minisign -V -q -P $Key -m $file
        if ($LASTEXITCODE -ne 0) { throw "the signature of $Archive is not valid; nothing was installed" }
    }
    $wanted = $env:VECTORCODE_VERSION
    if ($wanted) { Assert-SignedAs $file "vectorcode $($wanted.TrimStart('v')) $Archive" }
}

# Refuses a genuine signature of another file or another version.
function Assert-SignedAs($File, $Expected) {
    $comment = (Get-Content "$File.minisig")[2] -replace '^trusted comment: ', ''
    if ($comment -cne $Expected) { throw "the signature is for $comment, not for $Expected" }
}

# A running binary cannot be overwritten or deleted on Windows, but it can be renamed. `vectorcode upgrade` deletes the
# renamed files later.
function Install-Binary($Source, $Dir) {
    New-Item -ItemType Directory -Force $Dir | Out-Null
    $target = Join-Path $Dir 'vectorcode.exe'
    $names = 1..9 | ForEach-Object { "$target.old$_" }
    $names | Where-Object { Test-Path $_ } | Remove-Item -Force -ErrorAction SilentlyContinue
    $old = $names | Where-Object { -not (Test-Path $_) } | Select-Object -First 1
    if (-not $old) { throw "too many old versions of $target are still running; close them first" }
    if (Test-Path $target) { Move-Item $target $old }
    try {
        Copy-Item $Source $target
    } catch {
        if (Test-Path $old) { Move-Item -Force $old $target }
        throw
    }
    if (Test-Path $old) { Remove-Item -Force $old -ErrorAction SilentlyContinue }
    $target
}

# Writes the registry directly, because [Environment] would expand the variables in the user's Path to their current values.
function Add-ToPath($Dir) {
    $key = [Microsoft.Win32.Registry]::CurrentUser.CreateSubKey('Environment')
    try {
        $path = [string]$key.GetValue('Path', '', 'DoNotExpandEnvironmentNames')
        $parts = @($path -split ';' | Where-Object { $_ })
        if ($parts -contains $Dir) { return }
        $key.SetValue('Path', (($parts + $Dir) -join ';'), 'ExpandString')
    } finally {
        $key.Dispose()
    }
    # Changing any variable this way notifies running programs that the environment has changed.
    [Environment]::SetEnvironmentVariable('VECTORCODE_INSTALLER', '1', 'User')
    [Environment]::SetEnvironmentVariable('VECTORCODE_INSTALLER', $null, 'User')
    $env:Path = "$env:Path;$Dir"
    Write-Host "$Dir was added to your PATH; new terminals will find vectorcode"
}

function Install-Vectorcode {
    # Set inside the function: `iex` runs this file in the user's own session, whose preferences must not change.
    $ErrorActionPreference = 'Stop'
    # The progress bar of Windows PowerShell makes downloads many times slower.
    $ProgressPreference = 'SilentlyContinue'
    # Old installations of Windows PowerShell do not offer TLS 1.2 (3072) by default.
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor 3072
    $files = Get-ReleaseUrl
    $key = Get-PublicKey
    $archive = Get-ArchiveName
    $work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
    New-Item -ItemType Directory $work | Out-Null
    try {
        Write-Host "downloading $files/$archive"
        foreach ($file in 'SHA256SUMS', $archive, "$archive.minisig") {
            Invoke-WebRequest -UseBasicParsing "$files/$file" -OutFile (Join-Path $work $file)
        }
        Assert-Checksum $work $archive
        Assert-Signature $work $archive $key
        Expand-Archive (Join-Path $work $archive) $work
        $binary = Join-Path $work 'vectorcode.exe'
        $version = & $binary --version
        if ($LASTEXITCODE -ne 0) { throw 'the downloaded binary does not run on this machine' }
        Assert-SignedAs (Join-Path $work $archive) "$version $archive"
        $dir = Get-InstallDir
        $target = Install-Binary $binary $dir
        Write-Host "$version installed to $target"
        Add-ToPath $dir
    } finally {
        Remove-Item -Recurse -Force $work -ErrorAction SilentlyContinue
    }
}

Install-Vectorcode
