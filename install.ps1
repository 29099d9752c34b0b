# Installs vectorcode for this user on Windows:
#
#   irm https://raw.githubusercontent.com/alejandro-technology/vectorcode/main/install.ps1 | iex
#
# VECTORCODE_VERSION      a release such as 0.2.0 (default: the newest)
# VECTORCODE_INSTALL_DIR  where the binary goes (default: %LOCALAPPDATA%\Programs\vectorcode)
# VECTORCODE_BASE_URL     a mirror with the layout of GitHub's releases
$ErrorActionPreference = 'Stop'
# The progress bar of Windows PowerShell makes downloads many times slower.
$ProgressPreference = 'SilentlyContinue'

function Get-ReleaseUrl {
    $base = 'https://github.com/alejandro-technology/vectorcode/releases'
    if ($env:VECTORCODE_BASE_URL) { $base = $env:VECTORCODE_BASE_URL.TrimEnd('/') }
    if ($env:VECTORCODE_VERSION) { return "$base/download/v$($env:VECTORCODE_VERSION.TrimStart('v'))" }
    "$base/latest/download"
}

function Get-ArchiveName {
    # Windows on ARM runs the x86-64 binary.
    if ($env:PROCESSOR_ARCHITECTURE -notin 'AMD64', 'ARM64') {
        throw "there is no release for $($env:PROCESSOR_ARCHITECTURE); build it with cargo"
    }
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

# A running binary cannot be overwritten on Windows, but it can be renamed.
function Install-Binary($Source, $Dir) {
    New-Item -ItemType Directory -Force $Dir | Out-Null
    $target = Join-Path $Dir 'vectorcode.exe'
    if (Test-Path "$target.old") { Remove-Item -Force "$target.old" -ErrorAction SilentlyContinue }
    if (Test-Path $target) { Move-Item -Force $target "$target.old" }
    try {
        Copy-Item $Source $target
    } catch {
        if (Test-Path "$target.old") { Move-Item -Force "$target.old" $target }
        throw
    }
    Remove-Item -Force "$target.old" -ErrorAction SilentlyContinue
    $target
}

function Add-ToPath($Dir) {
    $path = [Environment]::GetEnvironmentVariable('Path', 'User')
    if (($path -split ';') -contains $Dir) { return }
    [Environment]::SetEnvironmentVariable('Path', (@($path, $Dir) -ne '' -join ';'), 'User')
    $env:Path = "$env:Path;$Dir"
    Write-Host "$Dir was added to your search path; new terminals will find vectorcode"
}

function Install-Vectorcode {
    $files = Get-ReleaseUrl
    $archive = Get-ArchiveName
    $work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
    New-Item -ItemType Directory $work | Out-Null
    try {
        Write-Host "downloading $files/$archive"
        foreach ($file in 'SHA256SUMS', $archive) {
            Invoke-WebRequest -UseBasicParsing "$files/$file" -OutFile (Join-Path $work $file)
        }
        Assert-Checksum $work $archive
        Expand-Archive (Join-Path $work $archive) $work
        $binary = Join-Path $work 'vectorcode.exe'
        $version = & $binary --version
        if ($LASTEXITCODE -ne 0) { throw 'the downloaded binary does not run on this machine' }
        $dir = Get-InstallDir
        $target = Install-Binary $binary $dir
        Write-Host "$version installed to $target"
        Add-ToPath $dir
    } finally {
        Remove-Item -Recurse -Force $work
    }
}

Install-Vectorcode
